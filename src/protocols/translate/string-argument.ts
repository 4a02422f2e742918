import { isObject } from "../../core/json.ts";

/** The only argument of a function that replaces a custom tool. */
export const ARGUMENT = "input";

const HEAD = new RegExp(`^\\s*\\{\\s*"${ARGUMENT}"\\s*:\\s*"`);
const COMPLETE = /[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const INCOMPLETE_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: models write them raw, where JSON wants escapes.
const CONTROLS = /[\u0000-\u001f]/g;

/**
 * Reads the text out of `{"input": "…"}` while a model writes it, so that a long input is passed on as it arrives.
 * Arguments of another shape are passed on unchanged once they are whole.
 */
export class StringArgument {
  #state: "head" | "text" | "done" = "head";
  /** JSON that was not read yet: the object's head, or the beginning of an escape. */
  #rest = "";
  /** The first half of a surrogate pair, until the second half comes. */
  #half = "";

  /** Takes more of the JSON; returns the text that it adds. */
  push(json: string): string {
    if (this.#state === "done") return "";
    this.#rest += json;
    if (this.#state === "head") {
      const head = HEAD.exec(this.#rest);
      if (head === null) return "";
      this.#rest = this.#rest.slice(head[0].length);
      this.#state = "text";
    }
    return this.#wholeCharacters(this.#read());
  }

  /** Returns the remaining text when the arguments are complete. */
  end(): string {
    if (this.#state === "done") return this.#half;
    return this.#state === "head" ? argumentOf(this.#rest) : this.#half + this.#rest;
  }

  #read(): string {
    let end = endOfComplete(this.#rest);
    // An escape that JSON does not define is passed on unchanged.
    while (this.#rest[end] === "\\" && !INCOMPLETE_ESCAPE.test(this.#rest.slice(end))) {
      this.#rest = `${this.#rest.slice(0, end)}\\${this.#rest.slice(end)}`;
      end = endOfComplete(this.#rest);
    }
    const json = this.#rest.slice(0, end).replace(CONTROLS, (control) => JSON.stringify(control).slice(1, -1));
    if (this.#rest[end] === '"') this.#state = "done";
    this.#rest = this.#rest.slice(end);
    return JSON.parse(`"${json}"`) as string;
  }

  #wholeCharacters(read: string): string {
    const text = this.#half + read;
    const ends_in_half = this.#state === "text" && /[\ud800-\udbff]$/.test(text);
    this.#half = ends_in_half ? text.slice(-1) : "";
    return ends_in_half ? text.slice(0, -1) : text;
  }
}

/** Where the string ends, or where an incomplete or invalid escape begins. */
function endOfComplete(json: string): number {
  COMPLETE.lastIndex = 0;
  let end = 0;
  while (COMPLETE.test(json)) end = COMPLETE.lastIndex;
  return end;
}

/** The argument of a whole call; the call itself where it has another shape. */
export function argumentOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value) && typeof value[ARGUMENT] === "string") return value[ARGUMENT];
  } catch {
    // The model's text is passed on, whether it is valid JSON or not.
  }
  return json;
}
