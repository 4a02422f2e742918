import type { SentBody, VendorFailure, WholeAnswer, WholeBody } from "../../core/exchange.ts";
import { isObject } from "../../core/json.ts";
import type { Usage } from "../../core/usage.ts";
import { textOf } from "../shared/body-text.ts";
import { replaceMembers } from "../shared/json-members.ts";
import { REPEATED_MEMBER, rewriteAnswer } from "../shared/rewrite-answer.ts";
import { readErrorObject } from "../shared/vendor-error.ts";
import { choicesOf, errorOf, hasChoice, parseChunk } from "./inspect-chunk.ts";
import { correctedUsage, findUsage, readUsage, showUsage } from "./usage.ts";

/** The most generated text that an estimate starts from. */
const MAX_SAMPLE_LENGTH = 256 * 1024;

/**
 * Reads a completion that arrived whole. The client gets the vendor's bytes except for the model's name, and for the
 * usage where the vendor's numbers are not the billed ones. Never throws: a body that is no answer gives a `failure`.
 */
export function readWhole(sent: WholeBody, model_id: string): WholeAnswer {
  const text = textOf(sent);
  const answer = parseChunk(text);
  if (answer === null) return failed("The model service's answer is not a JSON object.");
  const error = errorOf(answer);
  if (error !== null) return failed(readErrorObject(error));
  if (!hasChoice(answer)) return failed("The model service's answer has no choices.");
  const { usage, rejected } = readUsage(findUsage(answer));
  const body = rewriteAnswer({ sent, text, answer }, model_id, usageText(answer.usage, usage));
  return body === null ? failed(REPEATED_MEMBER) : new RelayedWhole(answer, body, usage, rejected);
}

class RelayedWhole implements WholeAnswer {
  readonly failure = null;
  readonly body: SentBody;
  readonly usage: Usage | null;
  readonly rejected_usage: unknown;
  readonly #answer: Record<string, unknown>;
  #text: string | null = null;

  constructor(answer: Record<string, unknown>, body: SentBody, usage: Usage | null, rejected_usage: unknown) {
    this.#answer = answer;
    this.body = body;
    this.usage = usage;
    this.rejected_usage = rejected_usage;
  }

  /** The body for the client where the vendor sent no usage: it shows the usage that is billed (docs/rulings.md 58). */
  bodyWith(billed: Usage): string {
    const usage = JSON.stringify(showUsage(billed));
    return replaceMembers(textOf(this.body), new Map([["usage", usage]]));
  }

  get output_bytes(): number {
    return Buffer.byteLength(this.#generated);
  }

  get output_sample(): string {
    return this.#generated.slice(0, MAX_SAMPLE_LENGTH);
  }

  /** The generated text, gathered on first use, because only answers without a usage need it. */
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

/**
 * The JSON text of the usage to show in place of the vendor's, because the usage shown must be the one that is billed;
 * null to remove a usage that is not believed.
 */
function usageText(sent: unknown, usage: Usage | null): string | null | undefined {
  if (!isObject(sent)) return undefined;
  if (usage === null) return null;
  const right = correctedUsage(sent, usage);
  return right === null ? undefined : JSON.stringify(right);
}

/** The generated text in a message's members; reasoning is read under only one of its two names. */
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
