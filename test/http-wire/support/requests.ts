/** Requests as bytes: what a well-behaved client writes, and the parts to write others of. */

export interface Written {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Whole lines, after `host`. */
  readonly headers?: readonly string[];
  /** Sent with its length. */
  readonly body?: string | Uint8Array;
}

/** A head whose lines are exactly these. */
export function headOf(...lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A whole request in one piece. */
export function request(written: Written = {}): Buffer {
  const { method = "GET", target = "/healthz", version = "HTTP/1.1", headers = [], body } = written;
  const bytes = Buffer.from(body ?? "");
  const length = body === undefined ? [] : [`content-length: ${bytes.length}`];
  return Buffer.concat([
    Buffer.from(headOf(`${method} ${target} ${version}`, "host: x", ...headers, ...length), "latin1"),
    bytes,
  ]);
}

/** The body in chunks of those sizes, by turns, and its end. */
export function chunked(body: string | Uint8Array, ...sizes: readonly number[]): Buffer {
  const bytes = Buffer.from(body);
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const piece = bytes.subarray(at, at + Math.max(1, sizes[turn % sizes.length] ?? bytes.length));
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** A request for something that no other request in these tests gets: whoever is sent it has read what it should not. */
export const CANARY = request({ target: "/openapi.json" });

/** The bytes cut at those places, in any order; places outside are left out. */
export function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places)].filter((place) => place > 0 && place < bytes.length).sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}
