import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";
import { isObject } from "../../core/json.ts";
import { isWhitespace } from "./json-walk.ts";
import { parseOrNull } from "./parse-json.ts";

/**
 * Tells when a text that comes in pieces is one whole JSON object. Each character is looked at once, and the text is
 * parsed once, when its first value is closed: whether it is a whole object then is final.
 */
export class WholeObject {
  #text = "";
  #depth = 0;
  #in_string = false;
  #is_escaped = false;
  #state: "before" | "within" | "closed" | "other" = "before";
  #is_object: boolean | null = null;

  /** Whether the text so far is a whole object, with nothing but white space around it. */
  get is_whole(): boolean {
    if (this.#state !== "closed") return false;
    this.#is_object ??= isObject(parseOrNull(this.#text));
    return this.#is_object;
  }

  /** Whether an object has begun and is not closed. */
  get is_begun(): boolean {
    return this.#state === "within";
  }

  /** Whether a piece repeats the whole object that came before it. */
  repeats(piece: string): boolean {
    return piece !== "" && this.is_whole && piece.trim() === this.#text.trim();
  }

  add(piece: string): void {
    if (this.#state === "other") return;
    if (this.#state !== "closed") this.#text += piece;
    for (let at = 0; at < piece.length && !this.#isOther(); at++) this.#take(piece.charCodeAt(at));
    if (this.#isOther()) this.#text = "";
  }

  #isOther(): boolean {
    return this.#state === "other";
  }

  #take(code: number): void {
    if (this.#in_string) return this.#takeInString(code);
    switch (code) {
      case QUOTE:
        this.#in_string = this.#state === "within";
        if (!this.#in_string) this.#state = "other";
        return;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (this.#state === "within") this.#depth += 1;
        else if (this.#state === "closed" || code === OPEN_BRACKET) this.#state = "other";
        else {
          this.#state = "within";
          this.#depth = 1;
        }
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#state !== "within") this.#state = "other";
        else if (--this.#depth === 0) this.#state = "closed";
        return;
      default:
        if (this.#state !== "within" && !isWhitespace(code)) this.#state = "other";
    }
  }

  #takeInString(code: number): void {
    if (this.#is_escaped) this.#is_escaped = false;
    else if (code === BACKSLASH) this.#is_escaped = true;
    else if (code === QUOTE) this.#in_string = false;
  }
}
