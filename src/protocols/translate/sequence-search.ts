/**
 * Looks for one sequence in a text that comes in pieces, by the method of Knuth, Morris and Pratt: each character of the
 * text is looked at a bounded number of times, whatever the sequence is.
 */
export class SequenceSearch {
  readonly sequence: string;
  /** How many characters at the end of the text so far are the beginning of the sequence. */
  begun = 0;
  /** For each beginning of the sequence, the longest shorter beginning that it ends with. */
  readonly #borders: Int32Array;

  /** `sequence` is not empty. */
  constructor(sequence: string) {
    this.sequence = sequence;
    this.#borders = bordersOf(sequence);
  }

  /** Takes the next piece. Where the sequence ends in it, the place after its end; -1 otherwise. */
  take(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      if (this.begun === 0) {
        // The search of the runtime is faster than a look at each character.
        at = piece.indexOf(this.sequence.charAt(0), at);
        if (at === -1) return -1;
      }
      this.begun = this.#after(piece.charCodeAt(at));
      if (this.begun === this.sequence.length) return at + 1;
    }
    return -1;
  }

  /** Forgets the text so far. */
  reset(): void {
    this.begun = 0;
  }

  #after(code: number): number {
    let begun = this.begun;
    while (begun > 0 && this.sequence.charCodeAt(begun) !== code) begun = this.#borders[begun - 1] as number;
    return this.sequence.charCodeAt(begun) === code ? begun + 1 : 0;
  }
}

function bordersOf(sequence: string): Int32Array {
  const borders = new Int32Array(sequence.length);
  for (let at = 1, length = 0; at < sequence.length; at++) {
    const code = sequence.charCodeAt(at);
    while (length > 0 && sequence.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (sequence.charCodeAt(length) === code) length += 1;
    borders[at] = length;
  }
  return borders;
}
