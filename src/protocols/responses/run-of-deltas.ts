const PLACES = /"(?:type|item_id|output_index|content_index|summary_index)" *: *(?:"[^"\\]*"|\d+)[ ,}]/g;
const NUMBER = /"sequence_number" *: *\d/;
const TEXT = /"delta" *: *"/;
/** Where the first of a run has them, they are a member that clients read. */
const LOGPROBS = /"logprobs" *: *\[/g;

/**
 * Recognises the deltas that follow one that was looked at and found right: they have the same members of the same values
 * but for the text and the number. Each is only searched for those bytes, which no text can hold, as a quote in a text has a
 * backslash before it.
 */
export class RunOfDeltas {
  #name = "";
  #needles: readonly Buffer[] = [];
  #last: Buffer | null = null;

  /** Whether a frame goes on with the run, and is no second copy of the frame before it. */
  has(name: string, frame: Buffer): boolean {
    if (name !== this.#name || this.#last === null) return false;
    for (const needle of this.#needles) if (!frame.includes(needle)) return false;
    if (this.isCopy(frame)) return false;
    this.#last = frame;
    return true;
  }

  /** Whether a frame is the last delta once more: two events never have the same number. */
  isCopy(frame: Buffer): boolean {
    return this.#last !== null && frame.length === this.#last.length && frame.equals(this.#last);
  }

  /** Begins a run with a delta that was right as it came. */
  begin(name: string, frame: Buffer): void {
    const text = frame.toString("latin1");
    const number = NUMBER.exec(text);
    const delta = TEXT.exec(text);
    if (number === null || delta === null) return this.end();
    this.#name = name;
    const members = [PLACES, LOGPROBS].flatMap((pattern) => text.match(pattern) ?? []);
    this.#needles = [number[0].slice(0, -1), delta[0], ...members].map((needle) => Buffer.from(needle, "latin1"));
    this.#last = frame;
  }

  end(): void {
    this.#name = "";
    this.#last = null;
  }
}
