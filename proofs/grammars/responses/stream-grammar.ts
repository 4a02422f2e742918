import { type Fields, isFields, isSame, parseObject, quote } from "../grammar-values.ts";
import { GrammarItem } from "./grammar-item.ts";
import { checkResponse } from "./grammar-response.ts";

/**
 * The grammar of responses streams as clients receive them (docs/api.md 6.2, docs/rulings.md 3, 5 and 9). It accepts
 * exactly the legal sequences of frames, and names the first fault of any other sequence. It imports nothing outside
 * the grammar, so that it can judge any deployment from outside. Items may be written side by side; comments may stand
 * anywhere.
 */

/** How a legal stream ended. `error` is the bare error event, which vendors send for failures outside a response. */
export type ResponsesStreamEnd = "completed" | "incomplete" | "failed" | "error";

/** The first thing wrong with a stream. */
export interface ResponsesStreamViolation {
  /** The index of the frame, from 0, comments not counted. */
  readonly frame: number;
  readonly problem: string;
}

/** Judges a whole stream, as the text of the body. */
export function checkResponsesStream(stream: string): { readonly end: ResponsesStreamEnd } | ResponsesStreamViolation {
  const frames = stream
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .filter((frame) => !frame.startsWith(":"));
  const rest = frames.pop();
  const grammar = new ResponsesGrammar();
  for (const [frame, text] of frames.entries()) {
    const problem = grammar.take(text);
    if (problem !== null) return { frame, problem };
  }
  if (rest !== "") return { frame: frames.length, problem: `the stream ends within a frame: ${quote(rest)}` };
  const { end } = grammar;
  return end === null ? { frame: frames.length, problem: "the stream ends without a terminal event" } : { end };
}

const TERMINAL: Readonly<Record<string, Exclude<ResponsesStreamEnd, "error">>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed",
};

class ResponsesGrammar {
  end: ResponsesStreamEnd | null = null;
  #events = 0;
  /** The response of the first event. */
  #response: Fields | null = null;
  #state: "created" | "queued" | "in_progress" = "created";
  readonly #items: GrammarItem[] = [];
  readonly #ids = new Set<unknown>();

  /** The fault of the next frame, or null. */
  take(frame: string): string | null {
    const [, name = "", json = ""] = /^event: ([^\n]+)\ndata: ([^\n]+)$/.exec(frame) ?? [];
    if (name === "") return `not one line of 'event: ' and one of 'data: ': ${quote(frame)}`;
    const event = parseObject(json);
    if (event === null) return `the data is no JSON object: ${quote(json)}`;
    if (event.type !== name) return `the event is named ${quote(name)} and is of the type ${quote(event.type)}`;
    if (this.end !== null && this.end !== "error") return `an event follows the end: ${quote(name)}`;
    if (event.sequence_number !== this.#events)
      return `'sequence_number' is ${quote(event.sequence_number)}; expected ${this.#events}`;
    this.#events++;
    return this.#take(name, event);
  }

  #take(name: string, event: Fields): string | null {
    if (this.#response === null) return this.#create(name, event);
    if (name === "response.failed") return this.#fail(event);
    if (this.end === "error") return `an event follows an error: ${quote(name)}`;
    switch (name) {
      case "keepalive":
        return null;
      case "error":
        this.end = "error";
        return checkError(event);
      case "response.created":
        return "the response is created a second time";
      case "response.queued":
      case "response.in_progress":
        return this.#proceed(name === "response.queued" ? "queued" : "in_progress", event);
    }
    if (this.#state !== "in_progress") return `${quote(name)} before the response is in progress`;
    const terminal = TERMINAL[name];
    return terminal === undefined ? this.#takeOutput(name, event) : this.#finish(terminal, event);
  }

  #create(name: string, { response }: Fields): string | null {
    if (name !== "response.created") return `the first event is ${quote(name)}`;
    const status = isFields(response) && response.status === "queued" ? "queued" : "in_progress";
    this.#response = isFields(response) ? response : {};
    return checkResponse(response, status, null) ?? checkEmpty(this.#response);
  }

  #proceed(to: "queued" | "in_progress", { response }: Fields): string | null {
    if (this.#state === "in_progress" || this.#state === to) return `the response is ${quote(to)} a second time`;
    this.#state = to;
    return checkResponse(response, to, this.#response) ?? checkEmpty(response as Fields);
  }

  #takeOutput(name: string, event: Fields): string | null {
    const { output_index } = event;
    if (name === "response.output_item.added") return this.#addItem(event);
    const item = typeof output_index === "number" ? this.#items[output_index] : undefined;
    if (item === undefined) return `'output_index' is ${quote(output_index)}, where no item was added`;
    return name === "response.output_item.done" ? item.finish(event.item) : item.take(event);
  }

  #addItem({ output_index, item }: Fields): string | null {
    if (output_index !== this.#items.length)
      return `an item is added at ${quote(output_index)}; expected ${this.#items.length}`;
    const problem = GrammarItem.checkAdded(item);
    if (problem !== null || !isFields(item)) return problem;
    // The public clients find items by either id.
    const ids = [item.id, item.call_id].filter((id) => id !== undefined);
    const taken = ids.find((id) => this.#ids.has(id));
    if (taken !== undefined) return `two items have the id ${quote(taken)}`;
    for (const id of ids) this.#ids.add(id);
    this.#items.push(new GrammarItem(item));
    return null;
  }

  #finish(end: "completed" | "incomplete" | "failed", { response }: Fields): string | null {
    this.end = end;
    const problem = checkResponse(response, end, this.#response);
    if (problem !== null) return problem;
    const open = this.#items.findIndex(({ whole }) => whole === null);
    if (open !== -1) return `the response is ${end} before item ${open} is done`;
    const whole = this.#items.map((item) => item.whole);
    return isSame((response as Fields).output, whole) ? null : "'response.output' is not what the items were";
  }

  /** A failed response shows its output so far: items that are not done may be in it, or missing. */
  #fail({ response }: Fields): string | null {
    this.end = "failed";
    const problem = checkResponse(response, "failed", this.#response);
    if (problem !== null) return problem;
    const output = (response as Fields).output as readonly unknown[];
    if (output.length > this.#items.length) return "'response.output' has items that were never added";
    const other = output.findIndex((item, at) => !isFields(item) || item.id !== this.#items[at]?.added.id);
    return other === -1 ? null : `item ${other} of 'response.output' is not the one that was added there`;
  }
}

/** An error event has its message flat, or in an `error` object. */
function checkError(event: Fields): string | null {
  const { message } = isFields(event.error) ? event.error : event;
  return typeof message === "string" ? null : "'message' of an error is no string";
}

function checkEmpty({ output }: Fields): string | null {
  return Array.isArray(output) && output.length === 0 ? null : "'response.output' is not empty yet";
}
