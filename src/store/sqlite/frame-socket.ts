/** The kind of a frame: a text (JSON), or a value that JSON cannot express, in the runtime's format for clones. */
type FrameKind = typeof TEXT | typeof CLONE;
export const TEXT = 0;
export const CLONE = 1;

type OnFrame = (kind: FrameKind, bytes: Buffer) => void;

/** The payload's length, and its kind. */
const HEAD_BYTES = 5;

/** The part of a socket that frames need. */
interface FrameTarget {
  /** Returns how many bytes were taken. */
  write(bytes: Uint8Array): number;
  end(): void;
}

/** Frames on a stream of bytes between two processes of one machine: order and completeness are the socket's. */
export class FrameSocket {
  readonly #target: FrameTarget;
  readonly #onFrame: OnFrame;
  /** Bytes that the socket has not taken yet. */
  readonly #unsent: Uint8Array[] = [];
  /** The bytes of a frame that has not arrived whole. */
  #partial: Buffer[] = [];
  #partial_bytes = 0;
  #needed_bytes = HEAD_BYTES;

  constructor(target: FrameTarget, onFrame: OnFrame) {
    this.#target = target;
    this.#onFrame = onFrame;
  }

  sendText(text: string): void {
    const length = Buffer.byteLength(text);
    const frame = Buffer.allocUnsafe(HEAD_BYTES + length);
    frame.write(text, HEAD_BYTES);
    this.#send(frame, TEXT, length);
  }

  sendClone(bytes: Uint8Array): void {
    const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
    frame.set(bytes, HEAD_BYTES);
    this.#send(frame, CLONE, bytes.length);
  }

  /** Called when the socket accepts bytes again. */
  drained(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const taken = this.#target.write(next);
      if (taken < next.length) {
        this.#unsent[0] = next.subarray(Math.max(0, taken));
        return;
      }
      this.#unsent.shift();
    }
  }

  /** Adds received bytes, and hands on the frames that are complete, in their order. */
  received(bytes: Uint8Array): void {
    // The runtime may reuse the memory of arrived bytes for the next ones.
    this.#partial.push(Buffer.from(bytes));
    this.#partial_bytes += bytes.length;
    if (this.#partial_bytes < this.#needed_bytes) return;
    const all = this.#partial.length === 1 ? (this.#partial[0] as Buffer) : Buffer.concat(this.#partial);
    let at = 0;
    this.#needed_bytes = HEAD_BYTES;
    while (all.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + all.readUInt32LE(at);
      if (end > all.length) {
        this.#needed_bytes = end - at;
        break;
      }
      const kind = all[at + 4] === TEXT ? TEXT : CLONE;
      this.#onFrame(kind, all.subarray(at + HEAD_BYTES, end));
      at = end;
    }
    const rest = all.subarray(at);
    this.#partial = rest.length === 0 ? [] : [rest];
    this.#partial_bytes = rest.length;
  }

  end(): void {
    this.#target.end();
  }

  #send(frame: Buffer, kind: FrameKind, length: number): void {
    frame.writeUInt32LE(length, 0);
    frame[4] = kind;
    if (this.#unsent.length > 0) {
      this.#unsent.push(frame);
      return;
    }
    const taken = this.#target.write(frame);
    if (taken < frame.length) this.#unsent.push(frame.subarray(Math.max(0, taken)));
  }
}
