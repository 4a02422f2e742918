import type { StreamAnswer, VendorFailure } from "../../core/answer/exchange.ts";
import type { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { laterUsage, replacementUsage, type Usage } from "../../core/money/usage.ts";
import { invalidAnswer } from "../shared/endings.ts";
import { styleCError } from "../shared/error-styles.ts";
import { readGeminiUsage } from "../shared/gemini-usage.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { dataText, SseFrames } from "../shared/sse-frames.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { AnswerFrames } from "./answer-frames.ts";
import { generatedIn, hasContent, type RelayedAnswer, relayedText, Searches } from "./relayed-object.ts";
import { writeUsage } from "./write-usage.ts";

/** How much of the text an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/** A response object of the stream, and its text as sent. */
interface StreamedObject {
  readonly text: string;
  readonly answer: JsonRecord;
}

/**
 * A relayed stream: each object passes with what `relayedText` changes. This API has no marker of a stream's end, and vendors give a reason of
 * the end before it: an object with one is held back until another follows, or the stream ends.
 */
export class GeminiStream implements StreamAnswer {
  has_content = false;
  failure: VendorFailure | null = null;
  /** Set by the reasons of all candidates, or where the prompt was blocked. */
  complete = false;
  /** The vendor closes the stream behind its last object, which may come after the reason. */
  readonly terminated = false;
  usage: Usage | null = null;
  rejected_usage: unknown = null;
  output_bytes = 0;
  output_sample = "";
  readonly #about: RelayedAnswer;
  readonly #choices: number;
  readonly #written: AnswerFrames;
  readonly #frames = new SseFrames();
  readonly #searches = new Searches();
  readonly #ended = new Set<number>();
  #held: StreamedObject | null = null;

  constructor(about: RelayedAnswer, { choices, is_array }: { readonly choices: number; readonly is_array: boolean }) {
    this.#about = about;
    this.#choices = choices;
    this.#written = new AnswerFrames(is_array);
  }

  push(chunk: Uint8Array): Buffer {
    if (this.failure !== null) return NOTHING;
    this.#frames.feed(chunk);
    let sent = "";
    for (let frame = this.#frames.next(); frame !== null && this.failure === null; frame = this.#frames.next())
      sent += this.#take(frame, false);
    this.failure ??= this.#frames.fault;
    return bytes(sent);
  }

  end(): Buffer {
    if (this.failure !== null) return NOTHING;
    const last = this.#frames.end();
    const sent = last === null ? "" : this.#take(last, true);
    this.failure ??= this.#frames.fault;
    // A vendor may give fewer candidates than it was asked for.
    this.complete ||= this.#ended.size > 0;
    return bytes(sent);
  }

  finish(billed?: Usage, cost?: string): Buffer {
    const owed = replacementUsage(billed, this.usage) ?? (this.#tellsUsage() ? null : (this.usage ?? billed ?? null));
    const usage = owed === null ? undefined : { ...writeUsage(owed) };
    const last = this.#held === null ? this.#ending("STOP", usage, cost) : this.#shown(this.#held, { usage, cost });
    return bytes(this.#written.frame(last) + this.#written.end());
  }

  cut(usage: Usage, cost?: string): Buffer {
    if (this.complete) return this.finish(usage, cost);
    const held = this.#held === null ? "" : this.#release(this.#held);
    this.#held = null;
    return bytes(
      held + this.#written.frame(this.#ending("MAX_TOKENS", { ...writeUsage(usage) }, cost)) + this.#written.end(),
    );
  }

  fail(error: GatewayError): Buffer {
    return bytes(this.#written.only(styleCError(error)));
  }

  /** Whether the last object shows a usage that can be believed. */
  #tellsUsage(): boolean {
    return this.#held !== null && this.usage !== null && readGeminiUsage(this.#held.answer.usageMetadata) !== null;
  }

  /** What the client gets for a frame now; nothing for a last frame that was cut off. */
  #take(frame: Buffer, is_last: boolean): string {
    const text = dataText(frame) ?? bareText(frame);
    if (text === null) return "";
    const answer = parsed(text);
    if (answer === null) {
      if (!is_last) this.failure = invalidAnswer("The model service sent an event that could not be read.");
      return "";
    }
    if (answer.error !== undefined) {
      this.failure = readErrorObject(answer);
      return "";
    }
    this.#note(answer);
    const told = { text, answer };
    const before = this.#held === null ? "" : this.#release(this.#held);
    this.#held = null;
    if (this.failure !== null) return before;
    if (!this.#mayBeLast(answer)) return before + this.#release(told);
    this.#held = told;
    return before;
  }

  /** Whether an object may be the last: it ends a candidate, or all candidates have ended before it. */
  #mayBeLast({ candidates }: JsonRecord): boolean {
    if (this.complete) return true;
    return Array.isArray(candidates) && candidates.some(isEnded);
  }

  #note(answer: JsonRecord): void {
    this.has_content ||= hasContent(answer);
    const said = generatedIn(answer);
    this.output_bytes += Buffer.byteLength(said);
    if (this.output_sample.length < MAX_SAMPLE_LENGTH) this.output_sample += said;
    this.#searches.take(answer);
    const { usageMetadata: metadata, candidates, promptFeedback } = answer;
    if (metadata !== undefined && metadata !== null) this.#noteUsage(metadata);
    for (const [at, candidate] of (Array.isArray(candidates) ? candidates : []).entries()) {
      if (!isEnded(candidate)) continue;
      this.#ended.add(typeof candidate.index === "number" ? candidate.index : at);
    }
    this.complete ||= this.#ended.size >= this.#choices || isBlocked(promptFeedback);
  }

  #noteUsage(metadata: unknown): void {
    const usage = readGeminiUsage(metadata);
    if (usage === null) this.rejected_usage = metadata;
    else this.usage = this.#searches.addTo(laterUsage(this.usage, usage));
  }

  #release(told: StreamedObject): string {
    return this.#written.frame(this.#shown(told, {}));
  }

  #shown({ text, answer }: StreamedObject, shown: Parameters<typeof relayedText>[3]): string {
    try {
      return relayedText(text, answer, this.#about, shown);
    } catch {
      // An object that names a member twice is written anew, as it was read.
      return relayedText(JSON.stringify(answer), answer, this.#about, shown);
    }
  }

  #ending(finishReason: string, usageMetadata: object | undefined, cost: string | undefined): string {
    const { model_id: modelVersion, response_id: responseId } = this.#about;
    const candidates = [{ content: { parts: [{ text: "" }], role: "model" }, finishReason, index: 0 }];
    return JSON.stringify({
      candidates,
      ...(usageMetadata && { usageMetadata: { ...usageMetadata, cost } }),
      ...{ modelVersion, responseId },
    });
  }
}

/** Whether a candidate has ended. An empty reason does not count: clients do not see it. */
function isEnded(candidate: unknown): candidate is JsonRecord {
  return isObject(candidate) && typeof candidate.finishReason === "string" && candidate.finishReason !== "";
}

function isBlocked(feedback: unknown): boolean {
  return isObject(feedback) && typeof feedback.blockReason === "string" && feedback.blockReason !== "";
}

/** JSON in place of an event: an error, or a whole answer. */
function bareText(frame: Buffer): string | null {
  const text = frame.toString().trim();
  return text.startsWith("{") || text.startsWith("[") ? text : null;
}

function parsed(text: string): JsonRecord | null {
  const value = parseOrNull(text);
  const answer: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(answer) ? answer : null;
}

function bytes(text: string): Buffer {
  return text === "" ? NOTHING : Buffer.from(text);
}
