import { type Fields, isFields, parseObject, quote } from "../grammar-values.ts";
import { GrammarBlock } from "./grammar-block.ts";
import { checkError, checkStartedMessage, checkStop, checkUsage } from "./grammar-message.ts";

/**
 * The grammar of messages streams as clients receive them (docs/api.md 6.3, docs/rulings.md 3, 6 and 9). It accepts
 * exactly the legal sequences of frames, and names the first fault of any other sequence. It imports nothing outside
 * the grammar, so that it can judge any deployment from outside. Comments and pings may stand between any two events.
 */

/** How a legal stream ended: with `message_stop`, or with an error after it had begun. */
export type MessagesStreamEnd = "stop" | "error";

/** The first thing wrong with a stream. */
export interface MessagesStreamViolation {
  /** The index of the frame, from 0, comments not counted. */
  readonly frame: number;
  readonly problem: string;
}

/** Judges a whole stream, as the text of the body. */
export function checkMessagesStream(stream: string): { readonly end: MessagesStreamEnd } | MessagesStreamViolation {
  const frames = stream
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .filter((frame) => !frame.startsWith(":"));
  const rest = frames.pop();
  const grammar = new MessagesGrammar();
  for (const [frame, text] of frames.entries()) {
    const problem = grammar.take(text);
    if (problem !== null) return { frame, problem };
  }
  if (rest !== "") return { frame: frames.length, problem: `the stream ends within a frame: ${quote(rest)}` };
  const { end } = grammar;
  return end === null ? { frame: frames.length, problem: "the stream ends without message_stop or an error" } : { end };
}

/** Stop reasons with which a message may break off within a tool's input. */
const CUT = ["max_tokens", "model_context_window_exceeded", "refusal"];

class MessagesGrammar {
  end: MessagesStreamEnd | null = null;
  #state: "before" | "within" | "stopped" = "before";
  #open: GrammarBlock | null = null;
  /** The last block that ended. */
  #last: GrammarBlock | null = null;
  #blocks = 0;
  #calls = 0;
  readonly #ids = new Set<unknown>();

  /** The fault of the next frame, or null. */
  take(frame: string): string | null {
    const [, name = "", json = ""] = /^event: ([^\n]+)\ndata: (?! )([^\n]+)$/.exec(frame) ?? [];
    if (name === "") return `not one line of 'event: ' and one of 'data: ': ${quote(frame)}`;
    const event = parseObject(json);
    if (event === null) return `the data is no JSON object: ${quote(json)}`;
    if (event.type !== name) return `the event is named ${quote(name)} and is of the type ${quote(event.type)}`;
    if (this.end !== null) return `an event follows the end: ${quote(name)}`;
    if (this.#state === "before") return this.#start(name, event);
    return this.#takeWithin(name, event);
  }

  #start(name: string, event: Fields): string | null {
    this.#state = "within";
    if (name === "error") return "an error before the message starts belongs into the status";
    return name === "message_start" ? checkStartedMessage(event.message) : `the first event is ${quote(name)}`;
  }

  #takeWithin(name: string, event: Fields): string | null {
    switch (name) {
      case "ping":
        return null;
      case "error":
        this.end = "error";
        return checkError(event);
      case "message_start":
        return "the message starts a second time";
      case "message_stop":
        this.end = "stop";
        return this.#state === "stopped" ? null : "message_stop before a message_delta with the stop_reason";
    }
    if (this.#state === "stopped") return `${quote(name)} follows the stop_reason`;
    switch (name) {
      case "content_block_start":
        return this.#startBlock(event);
      case "content_block_delta":
        return this.#within(event) ?? this.#open?.take(event.delta) ?? null;
      case "content_block_stop":
        return this.#within(event) ?? this.#stopBlock();
      case "message_delta":
        return this.#stop(event);
      default:
        return `an event of the type ${quote(name)}`;
    }
  }

  #startBlock({ index, content_block }: Fields): string | null {
    if (this.#open !== null) return `a block starts within block ${this.#blocks - 1}`;
    if (index !== this.#blocks) return `a block has the index ${quote(index)}; expected ${this.#blocks}`;
    if (this.#last?.is_whole === false) return `the input of block ${this.#blocks - 1} is no object of JSON`;
    const block = GrammarBlock.start(content_block);
    if (typeof block === "string") return block;
    this.#open = block;
    this.#blocks++;
    if (block.type === "tool_use") this.#calls++;
    const id = isFields(content_block) ? content_block.id : undefined;
    if (id !== undefined && this.#ids.has(id)) return `two blocks have the id ${quote(id)}`;
    this.#ids.add(id);
    return null;
  }

  #within({ index }: Fields): string | null {
    if (this.#open === null) return `block ${quote(index)} goes on where none is open`;
    const open = this.#blocks - 1;
    return index === open ? null : `block ${quote(index)} goes on within block ${open}`;
  }

  #stopBlock(): null {
    this.#last = this.#open;
    this.#open = null;
    return null;
  }

  #stop({ delta, usage }: Fields): string | null {
    if (this.#open !== null) return `a message_delta within block ${this.#blocks - 1}`;
    if (!isFields(delta)) return "'delta' is no object";
    const { stop_reason } = delta;
    if (stop_reason !== null) this.#state = "stopped";
    const problem = checkStop(delta, this.#calls) ?? checkUsage(usage);
    if (problem !== null) return problem;
    const may_be_cut = stop_reason === null || CUT.includes(String(stop_reason));
    return this.#last?.is_whole === false && !may_be_cut
      ? `the input of block ${this.#blocks - 1} is no object of JSON`
      : null;
  }
}
