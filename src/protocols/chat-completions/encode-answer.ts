import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, StreamEncoder } from "../../core/answer/codec.ts";
import type { Opaque } from "../../core/answer/generation.ts";
import type {
  BlockEnd,
  BlockKind,
  BlockStart,
  FinishEvent,
  StreamEvent,
  TokenLogprob,
} from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Usage } from "../../core/money/usage.ts";
import { styleAError } from "../shared/error-styles.ts";
import { shownLogprobs } from "../shared/read-logprobs.ts";
import { extraContentOf } from "./extra-content.ts";
import { showFinishReason } from "./finish-reason.ts";
import { offersOldFunctions } from "./old-functions.ts";
import { type ReasoningDetail, reasoningDetails, sealDetail, TEXT_SEAL } from "./reasoning-details.ts";
import { showUsage } from "./usage.ts";

const DONE = "data: [DONE]\n\n";

/**
 * Writes events as chat chunks (docs/api.md 6.1): the role first and alone, then the content, then the finish reason
 * with an empty delta, the usage where it was asked for, and `[DONE]`.
 */
export class ChatStreamEncoder implements StreamEncoder {
  /** The text that every chunk begins and ends with, around its delta. */
  readonly #head: string;
  readonly #tail: string;
  readonly #usage_head: string;
  readonly #shows_usage: boolean;
  readonly #shows_reasoning: boolean;
  /** One call, in the form before `tool_calls`: what a model calls beside it, it calls again (docs/rulings.md 52). */
  readonly #is_old: boolean;
  #block: BlockKind = { kind: "text" };
  #calls = 0;
  #details = 0;
  /** The text of the open reasoning block, kept because its signature is shown together with the text. */
  #reasoning = "";
  #has_refusal = false;
  #has_arguments = false;

  constructor({ model, created, request, body }: AnswerContext) {
    // Without a `system_fingerprint`: in a chunk clients take no null for it, as they do in a whole answer.
    const envelope = JSON.stringify({ id: newId("chatcmpl"), object: "chat.completion.chunk", created, model });
    const open = envelope.slice(0, -1);
    this.#shows_usage = request.include_usage === true;
    this.#shows_reasoning = request.reasoning?.show !== "none";
    this.#is_old = offersOldFunctions(body);
    this.#head = `data: ${open},"choices":[{"index":0,"delta":`;
    this.#tail = this.#shows_usage ? '}],"usage":null}\n\n' : "}]}\n\n";
    this.#usage_head = `data: ${open},"choices":[],"usage":`;
  }

  encode(event: StreamEvent): string {
    switch (event.type) {
      case "start":
        return this.#chunk('{"role":"assistant","content":""}');
      case "block-start":
        return this.#startBlock(event);
      case "block-delta":
        return this.#delta(event.text, event.logprobs);
      case "block-end":
        return this.#endBlock(event);
      case "finish":
        return this.#finish(event);
      case "error":
        return "";
    }
  }

  fail(error: GatewayError): string {
    return `data: ${JSON.stringify(styleAError(error))}\n\n`;
  }

  #chunk(delta: string, logprobs = "null", reason = "null"): string {
    return `${this.#head}${delta},"logprobs":${logprobs},"finish_reason":${reason}${this.#tail}`;
  }

  #startBlock({ block, opaque }: BlockStart): string {
    this.#block = block;
    this.#reasoning = "";
    this.#has_arguments = false;
    if (block.kind === "refusal") this.#has_refusal = true;
    if (block.kind !== "tool-call") return "";
    const index = this.#calls++;
    const { id, name, tool } = block;
    if (this.#is_old) return index > 0 ? "" : this.#chunk(JSON.stringify({ function_call: { name, arguments: "" } }));
    const declared = tool === "custom" ? { custom: { name, input: "" } } : { function: { name, arguments: "" } };
    return this.#chunk(
      JSON.stringify({ tool_calls: [{ index, id, type: tool, ...declared, ...extraContentOf(opaque) }] }),
    );
  }

  #delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    const block = this.#block;
    switch (block.kind) {
      case "text": {
        const known = shownLogprobs(logprobs ?? []);
        if (known.length === 0) return text === "" ? "" : this.#chunk(`{"content":${JSON.stringify(text)}}`);
        const shown = `{"content":${JSON.stringify(known)},"refusal":null}`;
        return this.#chunk(`{"content":${JSON.stringify(text)}}`, shown);
      }
      case "refusal":
        return text === "" ? "" : this.#chunk(`{"refusal":${JSON.stringify(text)}}`);
      case "reasoning":
        this.#reasoning += text;
        if (text === "" || !this.#shows_reasoning) return "";
        return this.#chunk(`{"reasoning_content":${JSON.stringify(text)}}`);
      case "tool-call": {
        if (text === "") return "";
        this.#has_arguments = true;
        if (this.#is_old)
          return this.#calls > 1 ? "" : this.#chunk(`{"function_call":{"arguments":${JSON.stringify(text)}}}`);
        const field = block.tool === "custom" ? '"custom":{"input"' : '"function":{"arguments"';
        return this.#chunk(`{"tool_calls":[{"index":${this.#calls - 1},${field}:${JSON.stringify(text)}}}]}`);
      }
    }
  }

  #endBlock({ opaque }: BlockEnd): string {
    const block = this.#block;
    // Clients parse the arguments of a function, also where it has no parameters.
    const lacks_arguments = block.kind === "tool-call" && block.tool === "function" && !this.#has_arguments;
    const missing = lacks_arguments ? this.#delta("{}", undefined) : "";
    return opaque === undefined ? missing : missing + this.#sealed(block, opaque);
  }

  #sealed(block: BlockKind, opaque: Opaque): string {
    const id = block.kind === "tool-call" ? block.id : TEXT_SEAL;
    const details =
      block.kind === "reasoning"
        ? reasoningDetails(this.#reasoning, opaque, this.#details)
        : [sealDetail(opaque, id, this.#details)];
    this.#details += details.length;
    return this.#chunk(JSON.stringify({ reasoning_details: details }));
  }

  #finish({ reason, usage, cost }: FinishEvent): string {
    const said = { has_refusal: this.#has_refusal, has_calls: this.#calls > 0, is_old: this.#is_old };
    return this.#chunk("{}", "null", JSON.stringify(showFinishReason(reason, said))) + this.#usage(usage, cost) + DONE;
  }

  #usage(usage: Usage | null, cost: string | undefined): string {
    if (!this.#shows_usage || usage === null) return "";
    return `${this.#usage_head}${JSON.stringify({ ...showUsage(usage), cost })}}\n\n`;
  }
}

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
