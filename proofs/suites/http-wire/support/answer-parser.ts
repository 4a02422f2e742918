/** One complete answer as sent on the wire. */
export interface ParsedAnswer {
  readonly status: number;
  /** Names in lower case; values that came more than once are joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** How the answer marks the end of its body. */
  readonly framing: Framing;
  /** The body as text. */
  readonly text: string;
}

/** How a connection ended: in order, or by force. */
export type Ending = "closed" | "reset";

export type Framing = "none" | "length" | "chunked" | "close";

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: Framing;
}

const EMPTY: Buffer = Buffer.alloc(0);
const END_OF_LINE = "\r\n";
/** RFC 9112: one space between the three parts, even where the reason is empty. */
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/;
/** As strict as a sender has to be: a token, a colon, one space, and an unambiguous value. */
const FIELD_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?|)$/;
const CHUNK_SIZE = /^(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/;

/**
 * Reads answers byte by byte as the strictest client would. Throws an error with a sentence at the first byte that no
 * sender of HTTP/1.1 may write: a length and chunks together, a chunk size with anything behind it, other bytes where
 * an answer should begin.
 */
export class AnswerParser {
  /** The complete answers, without interim ones. */
  readonly answers: ParsedAnswer[] = [];
  /** Statuses of interim answers (1xx), each with how many whole answers came before it. */
  readonly interim: { readonly status: number; readonly before: number }[] = [];
  /** Which answers belong to HEAD and so have no body, by their place. */
  readonly bodiless = new Set<number>();
  #left = EMPTY;
  #head: Head | null = null;
  #body: Buffer[] = [];
  /** Bytes that the current body or chunk still lacks; null while a chunk's size is read. */
  #missing_bytes: number | null = null;

  /** Whether the parser is between two answers. */
  get between(): boolean {
    return this.#head === null && this.#left.length === 0;
  }

  /** The body of the answer that has not ended yet, so far. */
  get partial(): Buffer {
    return Buffer.concat(this.#body);
  }

  /** The status of the answer that has not ended yet; null between answers. */
  get partial_status(): number | null {
    return this.#head?.status ?? null;
  }

  push(bytes: Buffer): void {
    this.#left = this.#left.length === 0 ? bytes : Buffer.concat([this.#left, bytes]);
    while (this.#step());
  }

  /** Notes the end of the connection. Throws where an answer was cut short. */
  end(ending: Ending): void {
    if (this.#head?.framing === "close" && ending === "closed") this.#finish();
    if (!this.between) throw new Error(`an answer was cut: ${this.#left.toString("latin1").slice(0, 200)}`);
  }

  /** Reads one more element; false when its bytes have not all come. */
  #step(): boolean {
    if (this.#head === null) return this.#readHead();
    switch (this.#head.framing) {
      case "none":
        return this.#finish();
      case "close":
        return this.#take(this.#left.length);
      case "length":
        return this.#missing_bytes === 0 ? this.#finish() : this.#take(this.#missing_bytes ?? 0);
      case "chunked":
        return this.#readChunk();
    }
  }

  #readHead(): boolean {
    const end = this.#left.indexOf("\r\n\r\n");
    if (end === -1) {
      if (!"HTTP/1.1 ".startsWith(this.#left.toString("latin1", 0, Math.min(9, this.#left.length))))
        throw new Error(`no answer begins with ${JSON.stringify(this.#left.toString("latin1").slice(0, 80))}`);
      return false;
    }
    const [first = "", ...lines] = this.#left.toString("latin1", 0, end).split(END_OF_LINE);
    this.#left = this.#left.subarray(end + 4);
    const status = Number(STATUS_LINE.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`this is no status line: ${JSON.stringify(first)}`);
    const headers = readFields(lines);
    if (status < 200) this.interim.push({ status, before: this.answers.length });
    else this.#begin({ status, headers, framing: this.#framingOf(status, headers) });
    return true;
  }

  #framingOf(status: number, headers: ReadonlyMap<string, string>): Framing {
    const length = headers.get("content-length");
    const coding = headers.get("transfer-encoding");
    if (length !== undefined && coding !== undefined) throw new Error("an answer has a length and a transfer coding");
    if (length !== undefined && !/^\d+$/.test(length)) throw new Error(`an answer's length is ${length}`);
    if (coding !== undefined && coding !== "chunked") throw new Error(`an answer's transfer coding is ${coding}`);
    if (status === 204 || status === 304 || this.bodiless.has(this.answers.length)) return "none";
    if (length !== undefined) return "length";
    return coding === undefined ? "close" : "chunked";
  }

  #begin(head: Head): void {
    this.#head = head;
    this.#body = [];
    this.#missing_bytes = head.framing === "length" ? Number(head.headers.get("content-length")) : null;
  }

  #readChunk(): boolean {
    if (this.#missing_bytes !== null && this.#missing_bytes > 0) return this.#take(this.#missing_bytes);
    if (this.#missing_bytes === 0) {
      if (this.#left.length < 2) return false;
      this.#expectEndOfLine();
      this.#missing_bytes = null;
      return true;
    }
    const end = this.#left.indexOf(END_OF_LINE);
    if (end === -1) {
      if (this.#left.length > 16) throw new Error(`a chunk's size has no end: ${this.#left.toString("latin1", 0, 40)}`);
      return false;
    }
    const size = this.#left.toString("latin1", 0, end);
    if (!CHUNK_SIZE.test(size)) throw new Error(`a chunk's size is ${JSON.stringify(size)}`);
    if (size === "0") {
      if (this.#left.length < end + 4) return false;
      this.#left = this.#left.subarray(end + 2);
      this.#expectEndOfLine();
      return this.#finish();
    }
    this.#left = this.#left.subarray(end + 2);
    this.#missing_bytes = Number.parseInt(size, 16);
    return true;
  }

  #expectEndOfLine(): void {
    const found = this.#left.toString("latin1", 0, 2);
    if (found !== END_OF_LINE) throw new Error(`${JSON.stringify(found)} stands where a line should end`);
    this.#left = this.#left.subarray(2);
  }

  #take(limit_bytes: number): boolean {
    const piece = this.#left.subarray(0, limit_bytes);
    if (piece.length === 0) return false;
    this.#body.push(piece);
    this.#left = this.#left.subarray(piece.length);
    if (this.#missing_bytes !== null) this.#missing_bytes -= piece.length;
    return true;
  }

  #finish(): boolean {
    const body = Buffer.concat(this.#body);
    if (this.#head !== null) this.answers.push({ ...this.#head, body, text: body.toString() });
    this.#head = null;
    this.#body = [];
    return true;
  }
}

function readFields(lines: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ""] = FIELD_LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`this is no header: ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}
