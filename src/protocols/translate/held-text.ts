/** Text that is held back: it grows at its end and is released from its beginning, without copying what stays. */
export class HeldText {
  length = 0;
  #pieces: string[] = [];
  /** How many of the pieces were released, and how many characters of the next. */
  #released = 0;
  #start = 0;

  add(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** Releases this many characters. */
  release(count: number): string {
    let text = "";
    for (let left = Math.min(count, this.length); left > 0; ) {
      const piece = this.#pieces[this.#released] as string;
      const taken = Math.min(left, piece.length - this.#start);
      text += piece.slice(this.#start, this.#start + taken);
      left -= taken;
      this.#start += taken;
      this.length -= taken;
      if (this.#start === piece.length) this.#forget();
    }
    return text;
  }

  /** The pieces that were released are removed when they are the greater part, so that each is moved seldom. */
  #forget(): void {
    this.#start = 0;
    this.#released += 1;
    if (this.#released * 2 <= this.#pieces.length) return;
    this.#pieces = this.#pieces.slice(this.#released);
    this.#released = 0;
  }
}
