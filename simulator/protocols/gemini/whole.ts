import type { Ask } from "../../ask.ts";
import type { Performance } from "../../performance.ts";
import { isObject } from "../read.ts";
import { partsOf } from "./parts.ts";
import { wireUsage } from "./usage.ts";

export const FINISH = {
  stop: "STOP",
  stop_sequence: "STOP",
  tool_calls: "STOP",
  refusal: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
} as const satisfies Record<Performance["finish"], string>;

/** An answer that is not streamed. */
export function whole(ask: Ask, performance: Performance): object {
  const parts = partsOf(ask, performance).map((part) => part.whole);
  const texts = performance.blocks.flatMap((block) => (block.type === "text" ? block.pieces : []));
  const candidateAt = (index: number) => ({
    content: { ...(parts.length === 0 ? {} : { parts }), role: "model" },
    finishReason: FINISH[performance.finish],
    index,
    ...logprobsField(ask, texts),
  });
  const candidates = Array.from({ length: ask.choices }, (_, index) => candidateAt(index));
  const usage = performance.usage_reporting.omitted ? {} : { usageMetadata: wireUsage(performance, ask.choices) };
  return { candidates, ...usage, ...tail(ask) };
}

/** The last fields of every response object. */
export function tail(ask: Ask): object {
  return { modelVersion: ask.model.full, responseId: `resp-sim-${ask.serial}` };
}

const LOGPROB = -0.25;

/** The log-probabilities, if requested: each piece of text is a token, and all tokens are equally likely. */
export function logprobsField({ body }: Ask, pieces: readonly string[]): object {
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  if (config.responseLogprobs !== true || pieces.length === 0) return {};
  const chosenCandidates = pieces.map((token) => ({ token, logProbability: LOGPROB }));
  const wants_top = typeof config.logprobs === "number" && config.logprobs > 0;
  const topCandidates = chosenCandidates.map((candidate) => ({ candidates: wants_top ? [candidate] : [] }));
  return { logprobsResult: { topCandidates, chosenCandidates } };
}
