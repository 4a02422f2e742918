import type { FileSink } from "bun";

const FLUSH_BYTES = 64 * 1024;
const FLUSH_EVERY_MS = 250;

/** Writes lines to stdout or stderr, gathered: one write for many lines, at the latest after a quarter of a second. */
export class LineSink {
  readonly #sink: FileSink;
  #gathered = "";
  #timer: Timer | null = null;

  constructor(target: "stdout" | "stderr") {
    this.#sink = (target === "stdout" ? Bun.stdout : Bun.stderr).writer();
  }

  /** Takes a line with its line break. */
  write(line: string): void {
    this.#gathered += line;
    if (this.#gathered.length >= FLUSH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_EVERY_MS);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#gathered === "") return;
    this.#sink.write(this.#gathered);
    this.#gathered = "";
    // Not awaited: a reader that is slow must not slow the gateway down.
    void this.#sink.flush();
  }
}
