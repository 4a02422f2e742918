import type { Opaque } from "../../core/answer/generation.ts";
import type { BlockKind, TokenLogprob } from "../../core/answer/stream-event.ts";
import { randomBase62 } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { laterUsage, type Usage } from "../../core/money/usage.ts";
import { AnswerEvents } from "../shared/answer-events.ts";
import { callNameOf } from "../shared/call-ids.ts";
import { type Ending, endedWith, readEnding } from "../shared/endings.ts";
import { readGeminiUsage } from "../shared/gemini-usage.ts";
import { type RawLogprob, readTokenLogprob } from "../shared/read-logprobs.ts";
import { readErrorObject } from "../shared/vendor-error.ts";

/** The member with the arguments of a call, in which numbers keep their digits (docs/rulings.md 193). */
export const ARGS: ReadonlySet<string> = new Set(["args"]);

/** The most characters of the vendor's id for an answer that the ids of its calls repeat. */
const LONGEST_ID = 64;

interface OpenTextBlock {
  readonly kind: "text" | "reasoning";
  /** The signature over all text of the block so far; once it is set, the next piece of text starts another block. */
  signature: string | null;
}

/**
 * Turns GenerateContentResponse objects into events: the one of a whole answer, or those of a stream, each of which
 * holds the next parts. `finish` gives the finish event, because the vendor may still send a usage after its finish
 * reason.
 */
export class GeminiAnswerReader extends AnswerEvents {
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  #id: string | null = null;
  #started = false;
  #open: OpenTextBlock | null = null;
  /** Index of the next block; the open one has the index before it. */
  #next = 0;
  #calls = 0;
  /** The beginning of the ids of calls to which the vendor gave no id. */
  #call_base: string | null = null;
  #reason: string | null = null;
  #blocked: string | null = null;
  #finish_message: unknown = null;

  /** Takes the next response object. */
  take(response: JsonRecord): void {
    if (this.is_over) return;
    if (response.error !== undefined) return this.fail(readErrorObject(response));
    this.#noteUsage(response.usageMetadata);
    if (!this.#started) this.#start(response);
    this.#blocked ??= blockReason(response.promptFeedback);
    const candidate: unknown = Array.isArray(response.candidates) ? response.candidates[0] : undefined;
    if (isObject(candidate)) this.#takeCandidate(candidate);
  }

  /** Ends the answer if the vendor has sent that it is complete. */
  finish(): void {
    if (this.is_over || (this.#reason === null && this.#blocked === null)) return;
    const raw_reason = this.#reason ?? this.#blocked ?? "";
    const reason: Ending = this.#reason === null ? "content-filter" : readEnding(this.#reason, this.#next > 0);
    if (reason === "failed") {
      const { message } = endedWith(raw_reason, this.#finish_message);
      return this.fail(readErrorObject({ error: { message } }));
    }
    this.#close();
    this.is_over = true;
    this.events.push({ type: "finish", reason, stop_sequence: null, raw_reason, usage: this.usage });
  }

  #start(response: JsonRecord): void {
    this.#started = true;
    if (typeof response.responseId === "string" && response.responseId !== "") this.#id = response.responseId;
    this.events.push({ type: "start", id: this.#id, created: null, usage: this.usage });
  }

  #noteUsage(metadata: unknown): void {
    if (metadata === undefined || metadata === null) return;
    const usage = readGeminiUsage(metadata);
    if (usage === null) this.rejected_usage = metadata;
    else this.usage = laterUsage(this.usage, usage);
  }

  #takeCandidate(candidate: JsonRecord): void {
    let logprobs = readLogprobs(candidate.logprobsResult);
    const parts = isObject(candidate.content) && Array.isArray(candidate.content.parts) ? candidate.content.parts : [];
    for (const part of parts) {
      if (!isObject(part)) continue;
      this.#takePart(part, logprobs);
      if (typeof part.text === "string" && !isObject(part.functionCall)) logprobs = undefined;
    }
    if (typeof candidate.finishReason === "string") this.#reason = candidate.finishReason;
    this.#finish_message = candidate.finishMessage ?? this.#finish_message;
  }

  #takePart(part: JsonRecord, logprobs: readonly TokenLogprob[] | undefined): void {
    if (isObject(part.functionCall)) this.#takeCall(part.functionCall, signatureOf(part));
    else if (typeof part.text === "string") this.#takeText(part, part.text, logprobs);
  }

  #takeText(part: JsonRecord, text: string, logprobs: readonly TokenLogprob[] | undefined): void {
    const signature = signatureOf(part);
    if (text === "" && signature === null) return;
    const kind = part.thought === true ? "reasoning" : "text";
    // A signature without a text, as at the end of a stream, belongs to the text before it.
    const continues = text === "" ? this.#open !== null : this.#open?.kind === kind;
    const is_new = !continues || this.#open?.signature !== null;
    if (is_new) {
      this.#close();
      this.#openBlock({ kind });
    }
    if (text !== "") {
      const delta = { type: "block-delta", index: this.#next - 1, text } as const;
      this.events.push(logprobs === undefined || kind === "reasoning" ? delta : { ...delta, logprobs });
    }
    if (this.#open !== null) this.#open.signature = signature;
  }

  #takeCall(call: JsonRecord, signature: string | null): void {
    const id = typeof call.id === "string" && call.id !== "" ? call.id : this.#newCallId();
    this.#close();
    this.#openBlock({ kind: "tool-call", id, name: callNameOf(call.name), tool: "function" }, signature);
    this.events.push({ type: "block-delta", index: this.#next - 1, text: JSON.stringify(call.args ?? {}) });
    this.#endBlock(signature);
  }

  /**
   * An id for a call without one: models before Gemini 3 give calls no ids. The id is the same for a streamed and a
   * whole answer.
   */
  #newCallId(): string {
    this.#call_base ??= `call_${(this.#id ?? randomBase62(22)).slice(0, LONGEST_ID).replace(/[^A-Za-z0-9_-]/g, "")}`;
    const id = `${this.#call_base}_${this.#calls}`;
    this.#calls += 1;
    return id;
  }

  /** Starts a block; that of a call has its signature at the start as well. */
  #openBlock(block: BlockKind, signature: string | null = null): void {
    this.#open = block.kind === "text" || block.kind === "reasoning" ? { kind: block.kind, signature: null } : null;
    this.#next += 1;
    const start = { type: "block-start", index: this.#next - 1, block } as const;
    this.events.push(signature === null ? start : { ...start, opaque: opaqueOf(signature) });
  }

  #close(): void {
    if (this.#open === null) return;
    const { signature } = this.#open;
    this.#open = null;
    this.#endBlock(signature);
  }

  #endBlock(signature: string | null): void {
    const end = { type: "block-end", index: this.#next - 1 } as const;
    this.events.push(signature === null ? end : { ...end, opaque: opaqueOf(signature) });
  }
}

function opaqueOf(signature: string): Opaque {
  return { family: "google", form: "signature", data: signature };
}

function signatureOf(part: JsonRecord): string | null {
  return typeof part.thoughtSignature === "string" && part.thoughtSignature !== "" ? part.thoughtSignature : null;
}

/** Why a prompt was blocked before it reached the model; null when it was not blocked. */
function blockReason(feedback: unknown): string | null {
  if (typeof feedback !== "object" || feedback === null || !("blockReason" in feedback)) return null;
  const { blockReason: word } = feedback;
  return typeof word === "string" && word !== "BLOCK_REASON_UNSPECIFIED" ? word : null;
}

/** A candidate's `logprobsResult` in style A's shape; undefined when it has none. */
function readLogprobs(result: unknown): readonly TokenLogprob[] | undefined {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return undefined;
  const tops = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  return result.chosenCandidates.map((chosen, index) => {
    const top: unknown = tops[index];
    const alternatives = isObject(top) ? top.candidates : null;
    return readTokenLogprob({ ...membersOf(isObject(chosen) ? chosen : {}), alternatives }, membersOf);
  });
}

function membersOf({ token, logProbability }: Record<string, unknown>): Omit<RawLogprob, "alternatives"> {
  return { token, logprob: logProbability, bytes: typeof token === "string" ? [...Buffer.from(token)] : null };
}
