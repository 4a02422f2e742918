import { detachedBytes } from "../grammar/detached-bytes.ts";

/** Below this size a piece is copied together with its neighbours. */
const SMALL_BYTES = 16 * 1024;
const LEAST_BLOCK_BYTES = 1024;
const MOST_BLOCK_BYTES = 64 * 1024;

/**
 * The pieces of a body, in memory of about their own size: a piece of one byte is an object of two hundred, and a client
 * that sends a body byte by byte would otherwise occupy that many times what is counted.
 */
export class BodyPieces {
  #pieces: Buffer[] = [];
  /** A block that small pieces are copied into, and how many bytes of it they fill. */
  #block: Buffer | null = null;
  #filled_bytes = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a piece, which nobody else may change from now on. */
  add(piece: Buffer): void {
    const is_first = this.#bytes === 0;
    this.#bytes += piece.byteLength;
    // Most bodies come in one piece.
    if (!is_first && piece.byteLength < SMALL_BYTES) return this.#copy(piece);
    this.#endBlock();
    this.#pieces.push(piece);
  }

  /** The whole body; the pieces are let go. */
  join(): Buffer {
    this.#endBlock();
    const pieces = this.#pieces;
    const bytes = this.#bytes;
    this.clear();
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes);
  }

  clear(): void {
    this.#pieces = [];
    this.#block = null;
    this.#filled_bytes = 0;
    this.#bytes = 0;
  }

  #copy(piece: Buffer): void {
    let block = this.#block;
    if (block === null || this.#filled_bytes + piece.byteLength > block.byteLength) {
      this.#endBlock();
      const wanted_bytes = Math.min(MOST_BLOCK_BYTES, Math.max(LEAST_BLOCK_BYTES, this.#bytes));
      block = Buffer.allocUnsafeSlow(Math.max(wanted_bytes, piece.byteLength));
      this.#block = block;
    }
    piece.copy(block, this.#filled_bytes);
    this.#filled_bytes += piece.byteLength;
  }

  /** Keeps the block as a piece; as a copy where it is less than half full. */
  #endBlock(): void {
    const block = this.#block;
    if (block === null) return;
    this.#pieces.push(detachedBytes(block.subarray(0, this.#filled_bytes)));
    this.#block = null;
    this.#filled_bytes = 0;
  }
}
