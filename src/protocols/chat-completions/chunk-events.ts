import type { VendorFailure } from "../../core/answer/exchange.ts";
import type { GenerationRequest } from "../../core/answer/generation.ts";
import { isObject } from "../../core/json.ts";
import type { Usage } from "../../core/money/usage.ts";
import { AnswerEvents } from "../shared/answer-events.ts";
import { endedWith, invalidAnswer, readEnding } from "../shared/endings.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { DeltaBlocks } from "./delta-blocks.ts";
import { choiceIndex, errorOf } from "./inspect-chunk.ts";
import { findUsage, noteUsage } from "./usage.ts";

/**
 * Reads the chunks of a chat stream as events; a completion that arrived whole is one chunk with a `message` in place
 * of the `delta`. Only the first choice is read: a translated request asks for only one.
 */
export class ChunkEvents extends AnswerEvents {
  usage: Usage | null = null;
  #served_tier: string | null = null;
  rejected_usage: unknown = null;
  /** Set when the vendor has sent the finish reason. */
  raw_reason: string | null = null;
  /** Set by the first choice: chunks without any choice are no answer. */
  has_choice = false;
  readonly #stops: readonly string[];
  readonly #blocks = new DeltaBlocks((event) => {
    this.#has_content = true;
    this.events.push(event);
  });
  #has_content = false;
  #stop_sequence: string | null = null;
  #has_started = false;

  constructor(request: GenerationRequest) {
    super();
    this.#stops = request.stop ?? [];
  }

  take(chunk: Record<string, unknown>): void {
    if (this.is_over) return;
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (mayBeError(chunk, choice)) {
      const error = errorOf(chunk);
      if (error !== null) return this.fail(readErrorObject(error));
    }
    if (!this.#has_started) this.#start(chunk);
    if (typeof chunk.service_tier === "string") this.#served_tier = chunk.service_tier;
    if (mayHoldUsage(chunk, choice)) noteUsage(this, findUsage(chunk), this.#served_tier);
    if (isObject(choice) && choiceIndex(choice, 0) === 0) this.#takeChoice(choice);
  }

  /** Ends the answer, which is whole. */
  finish(): void {
    if (this.is_over) return;
    if (!this.has_choice) return this.fail(NO_CHOICES);
    const reason = readEnding(this.raw_reason ?? "stop", this.#has_content);
    if (reason === "failed") return this.fail(endedWith(this.raw_reason ?? ""));
    this.#blocks.end();
    this.is_over = true;
    this.events.push({
      type: "finish",
      reason: reason === "stop" && this.#blocks.has_refusal ? "refusal" : reason,
      stop_sequence: this.#stop_sequence,
      raw_reason: this.raw_reason,
      usage: this.usage,
    });
  }

  #start(chunk: Record<string, unknown>): void {
    this.#has_started = true;
    const id = typeof chunk.id === "string" && chunk.id !== "" ? chunk.id : null;
    const created = Number.isInteger(chunk.created) && (chunk.created as number) > 0 ? (chunk.created as number) : null;
    this.events.push({ type: "start", id, created, usage: null });
  }

  #takeChoice(choice: Record<string, unknown>): void {
    this.has_choice = true;
    const { delta, message } = choice;
    if (isObject(delta) && Object.keys(delta).length > 0) this.#blocks.take(delta, choice.logprobs);
    else if (isObject(message)) this.#blocks.take(this.#blocks.untold(message), choice.logprobs);
    const reason = choice.finish_reason;
    if (typeof reason !== "string" || reason === "") return;
    this.raw_reason = reason;
    this.#stop_sequence = this.#matched(choice.stop_reason) ?? this.#matched(choice.matched_stop);
    this.#blocks.end();
  }

  /** The stop sequence that matched: servers that report it do so in a field outside the public shape. */
  #matched(value: unknown): string | null {
    return typeof value === "string" && this.#stops.includes(value) ? value : null;
  }
}

export const NO_CHOICES: VendorFailure = invalidAnswer("The model service's answer has no choices.");

/** Whether a chunk may hold an error. Nearly no chunk does, and the search for one is slow. */
function mayBeError(chunk: Record<string, unknown>, choice: unknown): boolean {
  if (!isObject(choice)) return true;
  return chunk.error !== undefined || choice.error !== undefined || choice.finish_reason === "error";
}

function mayHoldUsage(chunk: Record<string, unknown>, choice: unknown): boolean {
  if (chunk.usage !== undefined) return chunk.usage !== null;
  return chunk.x_groq !== undefined || (isObject(choice) && choice.usage !== undefined);
}
