/**
 * The two forms of this style's streams: events of one line each, and without `alt=sse` one JSON array, whose elements come one after the
 * other. The only marker of an end is the closing bracket of the array.
 */
export class AnswerFrames {
  readonly #is_array: boolean;
  #has_begun = false;

  constructor(is_array: boolean) {
    this.#is_array = is_array;
  }

  /** One object of the stream, as JSON text on one line. */
  frame(json: string): string {
    if (!this.#is_array) return `data: ${json}\n\n`;
    const before = this.#has_begun ? ",\n" : "[";
    this.#has_begun = true;
    return before + json;
  }

  end(): string {
    if (!this.#is_array) return "";
    return this.#has_begun ? "]" : "[]";
  }

  /** A whole stream of one object. */
  only(object: object): string {
    return this.frame(JSON.stringify(object)) + this.end();
  }
}
