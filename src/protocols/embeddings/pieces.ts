/** The bytes of an answer in the pieces in which they arrived, as if they were one: nobody joins them. */
export class Pieces {
  readonly length: number;
  readonly #pieces: readonly Buffer[];
  /** The piece that was looked at last, and where it begins. */
  #at = 0;
  #start = 0;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Where the byte stands at this position or behind it; -1 where it does not. */
  indexOf(byte: number, from: number): number {
    this.#goTo(from);
    let start = this.#start;
    for (let at = this.#at; at < this.#pieces.length; at++) {
      const piece = this.#pieces[at] as Buffer;
      const found = piece.indexOf(byte, Math.max(0, from - start));
      if (found !== -1) return start + found;
      start += piece.length;
    }
    return -1;
  }

  /** The bytes in between, each as a character. */
  text(from: number, to: number): string {
    this.#goTo(from);
    const piece = this.#pieces[this.#at];
    if (piece !== undefined && to <= this.#start + piece.length)
      return piece.toString("latin1", from - this.#start, to - this.#start);
    return this.slices(from, to)
      .map((slice) => slice.toString("latin1"))
      .join("");
  }

  /** The bytes in between, in pieces. */
  slices(from: number, to: number): Buffer[] {
    this.#goTo(from);
    const slices: Buffer[] = [];
    let start = this.#start;
    for (let at = this.#at; start < to && at < this.#pieces.length; at++) {
      const piece = this.#pieces[at] as Buffer;
      const slice = piece.subarray(Math.max(0, from - start), to - start);
      if (slice.length > 0) slices.push(slice);
      start += piece.length;
    }
    return slices;
  }

  #goTo(position: number): void {
    if (position < this.#start) this.#at = this.#start = 0;
    for (let piece = this.#pieces[this.#at]; piece !== undefined; piece = this.#pieces[this.#at]) {
      if (position < this.#start + piece.length) return;
      this.#start += piece.length;
      this.#at += 1;
    }
  }
}
