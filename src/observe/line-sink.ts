import type { FileSink } from "bun";

const FLUSH_BYTES = 64 * 1024;
/** The most bytes (POSIX's PIPE_BUF on Linux) that the system writes to a pipe in one piece, even if other processes write to it. */
export const PIPE_BYTES = 4096;
const FLUSH_EVERY_MS = 250;
/** The most bytes that a UTF-16 code unit becomes in UTF-8. */
const MOST_BYTES = 3;

/**
 * Writes lines to stdout or stderr in batches, at the latest after a quarter of a second. Lines are collected as bytes:
 * a growing string would keep all its pieces alive until it is written.
 */
export class LineSink {
  readonly #sink: FileSink;
  readonly #gathered: Buffer;
  #length = 0;
  #timer: Timer | null = null;

  /** `most_bytes`: how much is written at once. */
  constructor(target: "stdout" | "stderr", most_bytes = FLUSH_BYTES) {
    this.#gathered = Buffer.allocUnsafe(most_bytes);
    this.#sink = (target === "stdout" ? Bun.stdout : Bun.stderr).writer();
  }

  /** Takes a line with its line break. */
  write(line: string): void {
    const room = line.length * MOST_BYTES;
    if (room > this.#gathered.length - this.#length) this.flush();
    if (room > this.#gathered.length) return this.#send(Buffer.from(line));
    this.#length += this.#gathered.write(line, this.#length);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_EVERY_MS);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#length === 0) return;
    this.#send(this.#gathered.subarray(0, this.#length));
    this.#length = 0;
  }

  /** The caller may reuse `bytes` when this returns: what cannot be written at once is copied. */
  #send(bytes: Uint8Array): void {
    this.#sink.write(bytes);
    // Not awaited: a slow reader must not slow the gateway down.
    void this.#sink.flush();
  }
}
