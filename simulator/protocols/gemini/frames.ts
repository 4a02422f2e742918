import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import { dataFrame, type Frame } from "../protocol.ts";
import { partsOf } from "./parts.ts";
import { earlyUsage, wireUsage } from "./usage.ts";
import { FINISH, logprobsField, tail } from "./whole.ts";

/** The chunks of a stream: each a response object with the next part, the last with the reason. There is no marker. */
export function* frames(ask: Ask, performance: Performance): Generator<Frame> {
  const { omitted } = performance.usage_reporting;
  const early = omitted ? {} : { usageMetadata: earlyUsage(performance) };
  const end = tail(ask);
  const usage = omitted ? {} : { usageMetadata: wireUsage(performance, ask.choices) };
  const content = { parts: [{ text: "" }], role: "model" };
  for (let index = 0; index < ask.choices; index++) {
    const chunk = (part: Frame["part"], candidate: object, counts: object) =>
      dataFrame(part, JSON.stringify({ candidates: [{ ...candidate, index }], ...counts, ...end }));
    for (const { pieces } of partsOf(ask, performance)) {
      for (const piece of pieces) {
        const said = "text" in piece && !("thought" in piece) ? [String(piece.text)] : [];
        yield chunk("content", { content: { parts: [piece], role: "model" }, ...logprobsField(ask, said) }, early);
      }
    }
    const is_last = index === ask.choices - 1;
    yield chunk("closing", { content, finishReason: FINISH[performance.finish] }, is_last ? usage : early);
  }
}
