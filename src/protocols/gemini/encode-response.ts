import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import { newId } from "../../core/ids.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import {
  type AnswerPart,
  argsOf,
  FINISH_REASONS,
  logprobsResult,
  showsThoughts,
  WaitingThoughts,
} from "./answer-parts.ts";
import { writeUsage } from "./write-usage.ts";

/** A whole answer as `generateContent` gives it (docs/api.md 4.14), equal to what its stream builds. */
export function encodeResponse(answer: AssembledAnswer, context: AnswerContext): string {
  const { blocks, reason, usage, cost, id } = answer;
  const candidate = {
    content: { parts: partsOf(blocks, showsThoughts(context)), role: "model" },
    finishReason: FINISH_REASONS[reason],
    index: 0,
    ...logprobsResult(logprobsOf(blocks)),
  };
  return JSON.stringify({
    candidates: [candidate],
    usageMetadata: writeUsage(usage ?? NO_USAGE, cost),
    modelVersion: context.model,
    responseId: id ?? newId("resp"),
  });
}

function partsOf(blocks: readonly AnswerBlock[], shows_thoughts: boolean): readonly AnswerPart[] {
  const waiting = new WaitingThoughts();
  const parts: AnswerPart[] = [];
  for (const block of blocks) {
    const { text, opaque } = block;
    if (block.kind === "reasoning") {
      if (shows_thoughts && text !== "") parts.push({ text, thought: true });
      waiting.add(text, opaque);
    } else if (block.kind === "tool-call") {
      const args = argsOf(text);
      const { id, name } = block;
      if (args !== undefined) parts.push({ functionCall: { id, name, args }, ...waiting.sealFor(opaque) });
    } else if (text !== "" || opaque !== undefined) parts.push({ text, ...waiting.sealFor(opaque) });
  }
  const rest = waiting.sealFor(undefined);
  // Google's clients take an answer without parts for a broken one, and forget the turn.
  return rest.thoughtSignature !== undefined || parts.length === 0 ? [...parts, { text: "", ...rest }] : parts;
}

function logprobsOf(blocks: readonly AnswerBlock[]) {
  const told = blocks.flatMap(({ logprobs }) => logprobs ?? []);
  return told.length === 0 ? undefined : told;
}
