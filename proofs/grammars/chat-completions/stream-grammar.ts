import { type Fields, isFields, isFullString, parseObject, quote } from "../grammar-values.ts";
import { type Choice, checkDelta, finishChoice, isLogprobs } from "./grammar-choice.ts";
import { checkUsage } from "./grammar-usage.ts";

/**
 * The grammar of chat completions streams as clients receive them (docs/api.md 6.1, docs/rulings.md 3, 4 and 9). It
 * accepts exactly the legal sequences of frames, and names the first fault of any other sequence. It imports nothing
 * outside the grammar, so that it can judge any deployment from outside.
 */

/** The request's options that decide the stream's content. */
export interface ChatGrammarOptions {
  /** `stream_options.include_usage`: then, and only then, the usage is shown. */
  readonly include_usage?: boolean;
  /** `n`: the number of choices. */
  readonly choices?: number;
}

/** How a legal stream ended: with `[DONE]`, or with an error after its beginning. */
export type ChatStreamEnd = "done" | "error";

/** The first thing wrong with a stream. */
export interface ChatStreamViolation {
  /** The index of the frame, counted from 0. */
  readonly frame: number;
  readonly problem: string;
}

/** Judges a whole stream, as the text of the body. */
export function checkChatStream(
  stream: string,
  options: ChatGrammarOptions = {},
): { readonly end: ChatStreamEnd } | ChatStreamViolation {
  const frames = stream.split("\n\n");
  const rest = frames.pop();
  const grammar = new ChatGrammar(options);
  for (const [frame, text] of frames.entries()) {
    const problem = grammar.take(text);
    if (problem !== null) return { frame, problem };
  }
  if (rest !== "") return { frame: frames.length, problem: `the stream ends within a frame: ${quote(rest ?? "")}` };
  const end = grammar.end();
  return end === null ? { frame: frames.length, problem: "the stream ends without [DONE] or an error" } : { end };
}

const ENVELOPE = ["id", "created", "model"] as const;
class ChatGrammar {
  readonly #options: ChatGrammarOptions;
  #envelope: Fields | null = null;
  readonly #choices = new Map<number, Choice>();
  #has_usage = false;
  #end: ChatStreamEnd | null = null;

  constructor(options: ChatGrammarOptions) {
    this.#options = options;
  }

  end(): ChatStreamEnd | null {
    return this.#end;
  }

  /** The fault of the next frame, or null. */
  take(frame: string): string | null {
    if (this.#end !== null) return `a frame follows the end: ${quote(frame)}`;
    if (!frame.startsWith("data: ") || /[\r\n]/.test(frame)) return `not one line of 'data: ': ${quote(frame)}`;
    const data = frame.slice(6);
    if (data === "[DONE]") return this.#done();
    const chunk = parseObject(data);
    if (chunk === null) return `the data is no JSON object: ${quote(data)}`;
    return chunk.error === undefined ? this.#chunk(chunk) : this.#error(chunk);
  }

  #done(): string | null {
    this.#end = "done";
    if (!this.#isFinished) return "[DONE] before every choice has its finish_reason";
    return this.#options.include_usage && !this.#has_usage ? "[DONE] without the usage that was asked for" : null;
  }

  get #isFinished(): boolean {
    const finished = [...this.#choices.values()].filter((choice) => choice.finished).length;
    return finished === (this.#options.choices ?? 1) && finished === this.#choices.size;
  }

  #error({ error }: Fields): string | null {
    this.#end = "error";
    if (this.#envelope === null) return "an error before the first chunk belongs into the status";
    if (!isFields(error)) return "'error' is no object";
    const strings = ["message", "type", "code"].find((name) => typeof error[name] !== "string");
    if (strings !== undefined) return `'error.${strings}' is no string`;
    return error.param === null || typeof error.param === "string" ? null : "'error.param' is no string and not null";
  }

  #chunk(chunk: Fields): string | null {
    const { choices, usage } = chunk;
    const wrong = this.#checkEnvelope(chunk);
    if (wrong !== null) return wrong;
    if (!Array.isArray(choices)) return "'choices' is no array";
    if (choices.length === 0) return this.#checkUsage(usage);
    if (this.#has_usage) return "a chunk with choices follows the usage";
    if (usage !== undefined && usage !== null) return "a usage in a chunk with choices";
    if (usage === null && !this.#options.include_usage) return "a null usage that nobody asked for";
    for (const choice of choices) {
      const problem = isFields(choice) ? this.#choice(choice) : "a choice is no object";
      if (problem !== null) return problem;
    }
    return null;
  }

  #checkEnvelope(chunk: Fields): string | null {
    if (chunk.object !== "chat.completion.chunk") return `'object' is ${quote(chunk.object)}`;
    if (this.#envelope === null) {
      this.#envelope = chunk;
      if (!isFullString(chunk.id)) return "'id' is no string with something in it";
      if (!isFullString(chunk.model)) return "'model' is no string with something in it";
      return Number.isInteger(chunk.created) ? null : "'created' is no integer";
    }
    const changed = ENVELOPE.find((name) => chunk[name] !== this.#envelope?.[name]);
    return changed === undefined ? null : `'${changed}' changed to ${quote(chunk[changed])}`;
  }

  #checkUsage(usage: unknown): string | null {
    if (!this.#isFinished) return "a chunk without choices before every choice is finished";
    if (!this.#options.include_usage) return "a usage that nobody asked for";
    if (this.#has_usage) return "a second usage";
    this.#has_usage = true;
    return checkUsage(usage);
  }

  #choice({ index, delta, finish_reason, logprobs }: Fields): string | null {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= (this.#options.choices ?? 1))
      return `a choice has the index ${quote(index)}`;
    if (!isFields(delta)) return "'delta' is no object";
    if (logprobs !== undefined && logprobs !== null && !isLogprobs(logprobs))
      return "'logprobs' is neither null nor an object";
    const known = this.#choices.get(index);
    if (known === undefined) return this.#firstOf(index, delta, finish_reason);
    if (known.finished) return `choice ${index} goes on after its finish_reason`;
    if (delta.role !== undefined) return "the role comes a second time";
    if (finish_reason !== null) return finishChoice(known, delta, finish_reason);
    return checkDelta(known, delta);
  }

  #firstOf(index: number, delta: Fields, finish_reason: unknown): string | null {
    if (delta.role !== "assistant") return `the first delta has the role ${quote(delta.role)}`;
    if (finish_reason !== null) return "the first chunk has a finish_reason";
    const choice: Choice = { finished: false, calls: 0, call_type: "", has_function_call: false };
    this.#choices.set(index, choice);
    return checkDelta(choice, delta);
  }
}
