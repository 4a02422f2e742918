import type { VendorFailure, WholeAnswer } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import type { Usage } from "../../core/usage.ts";
import { replaceMembers } from "../shared/json-members.ts";
import { ModelSwap } from "../shared/swap-model.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { choicesOf, errorOf, parseChunk } from "./look-at-chunk.ts";
import { correctedUsage, findUsage, readUsage, showUsage } from "./usage.ts";

/** As much generated text as an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;

/**
 * Reads a completion that came whole. The client gets the vendor's bytes but for the model's name, and for the usage
 * where the vendor's own numbers are not those that are billed. Never throws: what is no answer is a `failure`.
 */
export function readWhole(bytes: Uint8Array, model_id: string): WholeAnswer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = buffer.toString("utf8");
  const answer = parseChunk(text);
  if (answer === null) return failed("The model service's answer is not a JSON object.");
  const error = errorOf(answer);
  if (error !== null) return failed(readErrorObject(error));
  if (choicesOf(answer).length === 0) return failed("The model service's answer has no choices.");
  const { usage, rejected } = readUsage(findUsage(answer));
  const body = withRightUsage(text, answer, usage, model_id) ?? new ModelSwap(model_id).swap(buffer);
  return new RelayedWhole(answer, body, usage, rejected);
}

class RelayedWhole implements WholeAnswer {
  readonly failure = null;
  readonly body: Uint8Array;
  readonly usage: Usage | null;
  readonly rejected_usage: unknown;
  readonly #answer: Record<string, unknown>;
  #text: string | null = null;

  constructor(answer: Record<string, unknown>, body: Uint8Array, usage: Usage | null, rejected_usage: unknown) {
    this.#answer = answer;
    this.body = body;
    this.usage = usage;
    this.rejected_usage = rejected_usage;
  }

  /** The answer of a vendor that counts nothing: what is shown is what is billed (docs/rulings.md 58). */
  bodyWith(billed: Usage): Uint8Array {
    const usage = JSON.stringify(showUsage(billed));
    return Buffer.from(replaceMembers(Buffer.from(this.body).toString(), new Map([["usage", usage]])));
  }

  get output_bytes(): number {
    return Buffer.byteLength(this.#generated);
  }

  get output_sample(): string {
    return this.#generated.slice(0, MAX_SAMPLE_LENGTH);
  }

  /** Gathered only when someone asks, which is when the vendor sent no usage. */
  get #generated(): string {
    this.#text ??= choicesOf(this.#answer)
      .map((choice) => generatedText(choice.message))
      .join("");
    return this.#text;
  }
}

function failed(failure: VendorFailure | string): WholeAnswer {
  return {
    body: new Uint8Array(0),
    failure: typeof failure === "string" ? { status: 502, message: failure, retry_after_ms: null } : failure,
    usage: null,
    rejected_usage: null,
    output_bytes: 0,
    output_sample: "",
  };
}

/** The body with the usage that is billed, and the model's name swapped on the way; null where the vendor's is right. */
function withRightUsage(
  text: string,
  answer: Record<string, unknown>,
  usage: Usage | null,
  model_id: string,
): Buffer | null {
  if (!isObject(answer.usage)) return null;
  const right = usage === null ? null : correctedUsage(answer.usage, usage);
  if (right === null && usage !== null) return null;
  const changes = new Map([["usage", right === null ? null : JSON.stringify(right)]]);
  if (typeof answer.model === "string" || answer.model === null) changes.set("model", JSON.stringify(model_id));
  return Buffer.from(replaceMembers(text, changes));
}

/** Members of a message that hold generated text, reasoning under one of its two names. */
function generatedText(message: unknown): string {
  if (!isObject(message)) return "";
  const reasoning = message.reasoning_content ?? message.reasoning;
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [message.content, reasoning, message.refusal, message.function_call, message.audio, ...calls]
    .map(textIn)
    .join("");
}

function textIn(part: unknown): string {
  if (typeof part === "string") return part;
  if (Array.isArray(part)) return part.map(textIn).join("");
  if (!isObject(part)) return "";
  const text = part.text ?? part.transcript ?? part.arguments ?? part.input ?? part.function ?? part.custom;
  return textIn(text ?? part.thinking);
}
