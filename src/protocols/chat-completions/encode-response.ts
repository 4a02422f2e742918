import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext } from "../../core/answer/codec.ts";
import { newId } from "../../core/ids.ts";
import { shownLogprobs } from "../shared/read-logprobs.ts";
import { extraContentOf } from "./extra-content.ts";
import { showFinishReason } from "./finish-reason.ts";
import { offersOldFunctions } from "./old-functions.ts";
import { type ReasoningDetail, reasoningDetails, sealDetail, TEXT_SEAL } from "./reasoning-details.ts";
import { showUsage } from "./usage.ts";

type CallInAnswer = Extract<AnswerBlock, { kind: "tool-call" }>;

/** A whole answer as a chat completion (docs/api.md 2.4). Its content is what the stream would have carried. */
export function encodeResponse(answer: AssembledAnswer, { model, created, request, body }: AnswerContext): string {
  const { blocks, reason, usage, cost } = answer;
  const is_old = offersOldFunctions(body);
  const said = {
    has_refusal: blocks.some(({ kind }) => kind === "refusal"),
    has_calls: blocks.some(({ kind }) => kind === "tool-call"),
    is_old,
  };
  return JSON.stringify({
    id: newId("chatcmpl"),
    object: "chat.completion",
    created,
    model,
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: encodeMessage(blocks, request.reasoning?.show !== "none", is_old),
        logprobs: encodeLogprobs(blocks),
        finish_reason: showFinishReason(reason, said),
      },
    ],
    ...(usage && { usage: { ...showUsage(usage), cost } }),
  });
}

function encodeMessage(blocks: readonly AnswerBlock[], shows_reasoning: boolean, is_old: boolean): object {
  const textOf = (kind: AnswerBlock["kind"]) => {
    const found = blocks.filter((block) => block.kind === kind);
    return found.length === 0 ? null : found.map(({ text }) => text).join("");
  };
  const calls = blocks.filter((block): block is CallInAnswer => block.kind === "tool-call");
  const refusal = textOf("refusal");
  const reasoning = shows_reasoning ? textOf("reasoning") : null;
  const details = detailsOf(blocks);
  return {
    role: "assistant",
    // Null only where the answer has calls or a refusal.
    content: textOf("text") ?? (calls.length > 0 || refusal !== null ? null : ""),
    refusal,
    annotations: [],
    ...(reasoning && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(is_old ? encodeOldCall(calls) : calls.length > 0 && { tool_calls: calls.map(encodeCall) }),
  };
}

/** An answer of the form before `tool_calls` has one call (docs/rulings.md 52). */
function encodeOldCall([call]: readonly CallInAnswer[]): object {
  return call === undefined ? {} : { function_call: { name: call.name, arguments: argumentsOf(call) } };
}

function encodeCall({ id, name, tool, text, opaque }: CallInAnswer): object {
  if (tool === "custom") return { id, type: "custom", custom: { name, input: text } };
  return { id, type: "function", function: { name, arguments: argumentsOf({ text }) }, ...extraContentOf(opaque) };
}

/** Clients parse the arguments, also those of a function without parameters. */
function argumentsOf({ text }: Pick<CallInAnswer, "text">): string {
  return text === "" ? "{}" : text;
}

/** Only reasoning that is signed or encrypted: the rest is in `reasoning_content`. */
function detailsOf(blocks: readonly AnswerBlock[]): readonly ReasoningDetail[] {
  const details: ReasoningDetail[] = [];
  for (const block of blocks) {
    const { kind, text, opaque } = block;
    if (opaque === undefined) continue;
    const shown =
      kind === "reasoning"
        ? reasoningDetails(text, opaque, details.length)
        : [sealDetail(opaque, kind === "tool-call" ? block.id : TEXT_SEAL, details.length)];
    for (const detail of shown) details.push(detail);
  }
  return details;
}

function encodeLogprobs(blocks: readonly AnswerBlock[]): object | null {
  const content = shownLogprobs(blocks.flatMap(({ logprobs }) => logprobs ?? []));
  return content.length === 0 ? null : { content, refusal: null };
}
