import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { objectIn } from "./object-text.ts";
import { redactedOf, sealOf, signatureOf, unsignedSignature } from "./opaque-values.ts";
import { writeStop } from "./stop-reason.ts";
import type { WireBlock } from "./wire-blocks.ts";
import { messageUsage, writeMessage } from "./wire-message.ts";

/** A whole answer as a message object (docs/api.md 2.6), equal to the message that its stream builds. */
export function encodeResponse(answer: AssembledAnswer, context: AnswerContext): string {
  const { id, blocks, reason, stop_sequence, usage, cost } = answer;
  const shown = shownReasoning(context.request);
  const refusals = blocks.filter(({ kind, text }) => kind === "refusal" && text !== "");
  const refusal = refusals.length === 0 ? null : refusals.map(({ text }) => text).join("");
  const stop = writeStop(reason, stop_sequence, refusal);
  const content = withoutLastSeal(blocks.map((block) => contentOf(block, shown)));
  return JSON.stringify(writeMessage(context, { id, stop, content, usage: { ...messageUsage(usage), cost } }));
}

/**
 * The content of all blocks, without the seal of a text that ends the answer (docs/rulings.md 165): clients read the
 * last block as the answer, and vendors refuse a turn that ends with a seal when it comes back.
 */
function withoutLastSeal(contents: readonly WireBlock[][]): WireBlock[] {
  const last = contents.findLast((content) => content.length > 0);
  if (last?.[0]?.type === "text") last.splice(1);
  return contents.flat();
}

/**
 * A block of the answer as content blocks: two where a seal follows it, none where the client is not shown the block.
 */
function contentOf(block: AnswerBlock, shown: ReasoningDisplay): WireBlock[] {
  const { kind, text, opaque } = block;
  switch (kind) {
    case "text":
    case "refusal": {
      const said = { type: "text", text, citations: null } as const;
      if (opaque === undefined || shown === "hidden") return [said];
      return [said, { type: "redacted_thinking", data: sealOf(opaque, { text }) }];
    }
    case "tool-call": {
      const use = { type: "tool_use", id: block.id, name: block.name, input: objectIn(text) } as const;
      return opaque === undefined
        ? [use]
        : [use, { type: "redacted_thinking", data: sealOf(opaque, { call_id: block.id }) }];
    }
    case "reasoning":
      return reasoningOf(block, shown);
  }
}

function reasoningOf({ text, opaque }: AnswerBlock, shown: ReasoningDisplay): WireBlock[] {
  if (shown === "hidden") return [];
  const [thinking, hidden_text] = shown === "text" ? [text, ""] : ["", text];
  if (opaque === undefined) {
    if (text === "") return [];
    return [{ type: "thinking", thinking, signature: unsignedSignature(hidden_text) }];
  }
  if (thinking === "" && opaque.form !== "signature") return [{ type: "redacted_thinking", data: redactedOf(opaque) }];
  return [{ type: "thinking", thinking, signature: signatureOf(opaque, hidden_text) }];
}

/**
 * The part of reasoning that a client of this protocol is shown: its text, only the signature (`display: "omitted"`), or
 * nothing. A client that did not ask for thinking expects text in the first block. It gets no seals of texts either,
 * but always those of calls, because some vendors refuse calls that come back without their seals (docs/rulings.md 85).
 */
export type ReasoningDisplay = "text" | "signature" | "hidden";

export function shownReasoning({ reasoning }: GenerationRequest): ReasoningDisplay {
  if (reasoning?.enabled !== true) return "hidden";
  return reasoning.show === "none" ? "signature" : "text";
}
