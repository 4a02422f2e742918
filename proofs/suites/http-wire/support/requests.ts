/** Requests as bytes: what a well-behaved client writes, and parts for other requests. */

export interface Written {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Whole header lines, after `host`. */
  readonly headers?: readonly string[];
  /** The body, which is sent with its length. */
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

/** The body in chunks of the sizes, in turn, and its end. */
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

/** A request for a path that no other request in these tests has: its answer shows smuggling. */
export const CANARY = request({ target: "/openapi.json" });

/** The bytes, cut at the places, which may be in any order; places outside of the bytes are left out. */
export function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places)].filter((place) => place > 0 && place < bytes.length).sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}
