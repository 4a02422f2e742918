import { closeSync, fdatasync, openSync, readFileSync, writeSync } from "node:fs";
import { type ChainEnd, digestText, readDigest } from "./chain.ts";

/**
 * The anchor: a small file beside the database that names the last commit that was acknowledged (docs/adr/0023). It is
 * written after each commit, so it is never ahead of what is on the disk; a process that is killed leaves it at its last
 * commit or the one before. It goes to the disk once a second, so after a power cut it may be a second behind. A database
 * that ends before its anchor has lost commits.
 *
 * The file has two lines of a fixed length, which are written in turns: when one of them is torn, the other is whole.
 */
const LINE_BYTES = 192;
const NAME = "camino-anchor-1";

export function anchorPath(database_path: string): string {
  return `${database_path}.anchor`;
}

/** The commit that an anchor names; null where there is no anchor, or none that can be read. */
export function readAnchor(database_path: string): ChainEnd | null {
  let text = "";
  try {
    text = readFileSync(anchorPath(database_path), "latin1");
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return null;
    throw thrown;
  }
  const ends = text.split("\n").map(readLine);
  return ends.reduce((one, other) => (one === null || (other !== null && other.seq > one.seq) ? other : one), null);
}

function readLine(line: string): ChainEnd | null {
  const [name, history = "", seq = "", digest = "", at_ms = "", check] = line.trimEnd().split(" ");
  if (name !== NAME || check !== checkOf(`${NAME} ${history} ${seq} ${digest} ${at_ms}`)) return null;
  return { history, seq: Number(seq), digest: readDigest(digest), at_ms: Number(at_ms) };
}

function checkOf(line: string): string {
  return digestText(Bun.hash.xxHash64(line));
}

/** An anchor that is being written. */
export class Anchor {
  readonly #fd: number;
  readonly #line = Buffer.alloc(LINE_BYTES);
  #next_line = 0;
  #unsynced = false;
  #syncing = false;
  #closed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens a database's anchor for writing, readable by its owner alone. */
  static open(database_path: string): Anchor {
    // Not "w": what an anchor says stays until the next commit replaces it.
    const path = anchorPath(database_path);
    closeSync(openSync(path, "a", 0o600));
    return new Anchor(openSync(path, "r+"));
  }

  /** Names a commit that is on the disk. */
  write({ history, seq, digest, at_ms }: ChainEnd): void {
    const text = `${NAME} ${history} ${seq} ${digestText(digest)} ${at_ms}`;
    const line = `${text} ${checkOf(text)}`;
    this.#line.fill(" ");
    this.#line.write(line, "latin1");
    this.#line[LINE_BYTES - 1] = 10;
    writeSync(this.#fd, this.#line, 0, LINE_BYTES, this.#next_line * LINE_BYTES);
    this.#next_line = 1 - this.#next_line;
    this.#unsynced = true;
  }

  /** Names a commit that may be before the one that was named last. */
  reset(end: ChainEnd): void {
    this.write(end);
    this.write(end);
    this.sync();
  }

  /** Has the written anchor brought to the disk, without waiting: a slow disk only makes the anchor older. */
  sync(): void {
    if (!this.#unsynced || this.#syncing) return;
    this.#unsynced = false;
    this.#syncing = true;
    fdatasync(this.#fd, (failure) => {
      this.#syncing = false;
      if (failure !== null) this.#unsynced = true;
      if (this.#closed) closeSync(this.#fd);
    });
  }

  close(): void {
    this.#closed = true;
    if (!this.#syncing) closeSync(this.#fd);
  }
}
