import type { AnswerBlock, AssembledAnswer } from "../../core/answer/answer.ts";
import type { AnswerContext, StreamEncoder } from "../../core/answer/codec.ts";
import type { GenerationRequest, Opaque } from "../../core/answer/generation.ts";
import type { BlockKind, FinishEvent, StartEvent, StreamEvent } from "../../core/answer/stream-event.ts";
import type { GatewayError } from "../../core/errors.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { styleBError } from "../shared/error-styles.ts";
import { ObjectText, objectIn } from "./object-text.ts";
import { redactedOf, sealOf, signatureOf, unsignedSignature } from "./opaque-values.ts";
import { writeStop } from "./stop-reason.ts";
import type { WireBlock } from "./wire-blocks.ts";
import { deltaUsage, messageUsage, writeMessage } from "./wire-message.ts";

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
type ReasoningDisplay = "text" | "signature" | "hidden";

function shownReasoning({ reasoning }: GenerationRequest): ReasoningDisplay {
  if (reasoning?.enabled !== true) return "hidden";
  return reasoning.show === "none" ? "signature" : "text";
}

/** The members of a delta, by the kind of its block: the delta's type, and the member that holds its text. */
const DELTAS = {
  text: '"text_delta","text"',
  refusal: '"text_delta","text"',
  reasoning: '"thinking_delta","thinking"',
  "tool-call": '"input_json_delta","partial_json"',
} as const;

/** Writes an answer as a messages stream (docs/api.md 6.3). Blocks that this client is not shown have no frames. */
export class MessagesEncoder implements StreamEncoder {
  readonly #context: AnswerContext;
  readonly #reasoning: ReasoningDisplay;
  #block: BlockKind | null = null;
  /** Index of the last block on the wire. */
  #index = -1;
  /** A frame with the open block's delta up to its text; empty while the block has not started on the wire. */
  #head = "";
  /**
   * The open block's text, kept where the end of the block needs it: for a text, because its seal has its digest, and
   * for hidden thinking, because its signature holds it.
   */
  #text = "";
  /** The arguments of the open call. */
  #input = new ObjectText();
  /** A text's seal, which waits for the next block: no answer ends with a seal (docs/rulings.md 165). */
  #seal: string | null = null;
  /** The text of the refusal; null where the answer has none so far. */
  #refusal: string | null = null;

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#reasoning = shownReasoning(context.request);
  }

  encode(event: StreamEvent): string {
    switch (event.type) {
      case "block-delta":
        // The first case, because nearly every event is a delta.
        return event.text === "" ? "" : this.#delta(event.text);
      case "start":
        return this.#start(event);
      case "block-start":
        this.#block = event.block;
        this.#text = "";
        if (event.block.kind === "tool-call") this.#input = new ObjectText();
        // The block type of reasoning depends on whether it has text, so its block starts with the first text.
        return event.block.kind === "reasoning" ? "" : this.#open(startOf(event.block));
      case "block-end":
        return this.#end(event.opaque);
      case "finish":
        return this.#finish(event);
      case "error":
        return "";
    }
  }

  fail(error: GatewayError, request_id: string): string {
    return frame("error", styleBError(error, request_id));
  }

  #start({ id, usage }: StartEvent): string {
    const estimate = { ...NO_USAGE, input_tokens: this.#context.input_estimate_tokens };
    const envelope = { id, stop: null, content: [], usage: messageUsage(usage ?? estimate) };
    return frame("message_start", { type: "message_start", message: writeMessage(this.#context, envelope) });
  }

  #delta(text: string): string {
    const kind = this.#block?.kind;
    if (kind === "refusal") this.#refusal = (this.#refusal ?? "") + text;
    if (this.#keepsText(kind)) this.#text += text;
    if (kind === "tool-call") return this.#deltaOf(this.#input.push(text));
    if (kind !== "reasoning" || this.#head !== "") return `${this.#head}${JSON.stringify(text)}}}\n\n`;
    if (this.#reasoning !== "text") return "";
    return `${this.#open(EMPTY_THINKING)}${this.#head}${JSON.stringify(text)}}}\n\n`;
  }

  #deltaOf(text: string): string {
    return text === "" ? "" : `${this.#head}${JSON.stringify(text)}}}\n\n`;
  }

  #keepsText(kind: BlockKind["kind"] | undefined): boolean {
    if (this.#reasoning === "hidden" || kind === "tool-call") return false;
    return kind !== "reasoning" || this.#reasoning === "signature";
  }

  #open(content_block: object): string {
    if (this.#seal === null) return this.#startBlock(content_block);
    const seal = this.#seal;
    this.#seal = null;
    // A seal is another kind of block, but it has no deltas.
    return this.#redacted(seal) + this.#startBlock(content_block);
  }

  #startBlock(content_block: object): string {
    const index = ++this.#index;
    const delta = DELTAS[this.#block?.kind ?? "text"];
    this.#head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":${delta}:`;
    return frame("content_block_start", { type: "content_block_start", index, content_block });
  }

  #end(opaque: Opaque | undefined): string {
    const block = this.#block;
    this.#block = null;
    if (block?.kind === "reasoning") return this.#endReasoning(opaque);
    const rest = block?.kind === "tool-call" ? this.#deltaOf(this.#input.end()) : "";
    return rest + this.#endSaid(block, opaque);
  }

  #endSaid(block: Exclude<BlockKind, { kind: "reasoning" }> | null, opaque: Opaque | undefined): string {
    if (opaque === undefined || block === null) return this.#close();
    if (block.kind === "tool-call") return this.#close() + this.#redacted(sealOf(opaque, { call_id: block.id }));
    if (this.#reasoning !== "hidden") this.#seal = sealOf(opaque, { text: this.#text });
    return this.#close();
  }

  #endReasoning(opaque: Opaque | undefined): string {
    const has_text = this.#head !== "";
    const has_hidden = this.#text !== "";
    if (!has_text && (this.#reasoning === "hidden" || (opaque === undefined && !has_hidden))) return "";
    if (!has_text && opaque !== undefined && opaque.form !== "signature") return this.#redacted(redactedOf(opaque));
    const start = has_text ? "" : this.#open(EMPTY_THINKING);
    const signed = opaque === undefined ? unsignedSignature(this.#text) : signatureOf(opaque, this.#text);
    const delta = { type: "signature_delta", signature: signed };
    const signature = { type: "content_block_delta", index: this.#index, delta };
    return start + frame("content_block_delta", signature) + this.#close();
  }

  #redacted(data: string): string {
    return this.#open({ type: "redacted_thinking", data }) + this.#close();
  }

  #close(): string {
    this.#head = "";
    return frame("content_block_stop", { type: "content_block_stop", index: this.#index });
  }

  #finish({ reason, stop_sequence, usage, cost }: FinishEvent): string {
    const delta = { ...writeStop(reason, stop_sequence, this.#refusal), container: null };
    const end = frame("message_delta", { type: "message_delta", delta, usage: { ...deltaUsage(usage), cost } });
    return end + frame("message_stop", { type: "message_stop" });
  }
}

const EMPTY_THINKING = { type: "thinking", thinking: "", signature: "" };

/** The content of a block's start event. */
function startOf(block: Exclude<BlockKind, { kind: "reasoning" }>): object {
  if (block.kind === "tool-call") return { type: "tool_use", id: block.id, name: block.name, input: {} };
  return { type: "text", text: "", citations: null };
}

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
