import { isObject } from "../../core/json.ts";
import { parseJson } from "../shared/parse-json.ts";

/** The only argument of a function that replaces a custom tool. */
export const ARGUMENT = "input";

/** The text before the argument, without white space. White space may stand at these places of it. */
const HEAD = `{"${ARGUMENT}":"`;
const GAPS: ReadonlySet<number> = new Set([0, 1, HEAD.length - 2, HEAD.length - 1]);
const COMPLETE = /[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const INCOMPLETE_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: models write them raw, where JSON wants escapes.
const CONTROLS = /[\u0000-\u001f]/g;

/**
 * Reads the text out of `{"input": "…"}` while a model writes it, so that a long input is passed on as it arrives.
 * Arguments of another shape are passed on unchanged once they are whole.
 */
export class StringArgument {
  #state: "head" | "text" | "other" | "done" = "head";
  /** How much of the head was read. */
  #read_of_head = 0;
  /** The pieces of a call of another shape, as far as it was read. */
  readonly #pieces: string[] = [];
  /** JSON that was not read yet: the beginning of an escape. */
  #rest = "";
  /** The first half of a surrogate pair, until the second half comes. */
  #half = "";

  /** Takes more of the JSON; returns the text that it adds. */
  push(json: string): string {
    if (this.#state === "done") return "";
    const start = this.#state === "head" ? this.#readHead(json) : 0;
    if (this.#state === "head" || this.#state === "other") {
      this.#pieces.push(json);
      return "";
    }
    return this.#wholeCharacters(this.#read(this.#rest + json.slice(start)));
  }

  /** Returns the remaining text when the arguments are complete. */
  end(): string {
    if (this.#state === "done") return this.#half;
    return this.#state === "text" ? this.#half + this.#rest : argumentOf(this.#pieces.join(""));
  }

  /** Reads the head, or finds that the arguments have another shape. Returns where the text begins. */
  #readHead(json: string): number {
    for (let at = 0; at < json.length; at++) {
      const character = json.charAt(at);
      if (character === HEAD.charAt(this.#read_of_head)) this.#read_of_head += 1;
      else if (!GAPS.has(this.#read_of_head) || character.trim() !== "") {
        this.#state = "other";
        return 0;
      }
      if (this.#read_of_head < HEAD.length) continue;
      this.#state = "text";
      return at + 1;
    }
    return 0;
  }

  #read(json: string): string {
    const complete: string[] = [];
    let from = 0;
    let end = endOfComplete(json, from);
    // An escape that JSON does not define is passed on unchanged.
    while (json[end] === "\\" && !isIncompleteEscape(json, end)) {
      complete.push(json.slice(from, end), "\\\\");
      from = end + 1;
      end = endOfComplete(json, from);
    }
    complete.push(json.slice(from, end));
    if (json[end] === '"') this.#state = "done";
    this.#rest = json.slice(end);
    const text = complete.join("").replace(CONTROLS, (control) => JSON.stringify(control).slice(1, -1));
    return JSON.parse(`"${text}"`) as string;
  }

  #wholeCharacters(read: string): string {
    const text = this.#half + read;
    const ends_in_half = this.#state === "text" && /[\ud800-\udbff]$/.test(text);
    this.#half = ends_in_half ? text.slice(-1) : "";
    return ends_in_half ? text.slice(0, -1) : text;
  }
}

/** The position, from `from` on, at which the string ends or an incomplete or invalid escape begins. */
function endOfComplete(json: string, from: number): number {
  COMPLETE.lastIndex = from;
  let end = from;
  while (COMPLETE.test(json)) end = COMPLETE.lastIndex;
  return end;
}

function isIncompleteEscape(json: string, at: number): boolean {
  INCOMPLETE_ESCAPE.lastIndex = at;
  return INCOMPLETE_ESCAPE.test(json);
}

/** The argument of a whole call; the call itself where it has another shape. */
export function argumentOf(json: string): string {
  try {
    const value: unknown = parseJson(json);
    if (isObject(value) && typeof value[ARGUMENT] === "string") return value[ARGUMENT];
  } catch {
    // The model's text is passed on, whether it is valid JSON or not.
  }
  return json;
}
