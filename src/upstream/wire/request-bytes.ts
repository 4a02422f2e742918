import type { OutgoingRequest } from "../outgoing-request.ts";
import type { Target } from "./target.ts";

const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** What a value must not have: anything that ends a line, and what fetch does not write (it writes latin1). */
const NOT_IN_VALUE = /[\0\r\n\u0100-\uffff]/;
const NOT_ASCII = /[\u0080-\u00ff]/;

/** Longer requests are turned into bytes at once: what a socket does not take in one go would be turned again. */
const LONG = 64 * 1024;

/** What a socket is to write. */
export interface RequestBytes {
  readonly data: string | Uint8Array;
  readonly bytes: number;
}

/**
 * A request as it goes over the connection. The body's length is ours to say, and that is how it is delimited; `host` and
 * `accept` are added where the caller has none. Throws a TypeError for a header that would be read as something else.
 */
export function requestBytes(target: Target, { headers, body }: OutgoingRequest): RequestBytes {
  const body_bytes = Buffer.byteLength(body);
  const { lines, is_ascii } = headFor(target, headers);
  const head = `${lines}content-length: ${body_bytes}\r\n\r\n`;
  const bytes = head.length + body_bytes;
  // A socket writes strings as UTF-8, which is not what a header's é is.
  if (!is_ascii) return { data: Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]), bytes };
  return { data: bytes < LONG ? head + body : Buffer.from(head + body), bytes };
}

/** All of a request's head but its length. */
interface WrittenHead {
  readonly headers: object;
  readonly lines: string;
  readonly is_ascii: boolean;
}

const last_heads = new WeakMap<Target, WrittenHead>();

/** Requests to an endpoint usually have the very same headers, which are then checked and written down only once. */
function headFor(target: Target, headers: OutgoingRequest["headers"]): WrittenHead {
  const last = last_heads.get(target);
  if (last?.headers === headers) return last;
  const lines = writeHead(target, headers);
  const written = { headers, lines, is_ascii: !NOT_ASCII.test(lines) };
  last_heads.set(target, written);
  return written;
}

function writeHead(target: Target, headers: OutgoingRequest["headers"]): string {
  let lines = "";
  let has_host = false;
  let has_accept = false;
  for (const name in headers) {
    const value = headers[name] as string;
    switch (name.toLowerCase()) {
      case "content-length":
      case "transfer-encoding":
        continue;
      case "host":
        has_host = true;
        break;
      case "accept":
        has_accept = true;
    }
    lines += headerLine(name, value);
  }
  const host = has_host ? "" : `host: ${target.host}\r\n`;
  const accept = has_accept ? "" : "accept: */*\r\n";
  return `${target.request_line}\r\n${host}${accept}${lines}`;
}

function headerLine(name: string, value: string): string {
  if (!NAME.test(name)) throw new TypeError(`the request cannot have a header named ${JSON.stringify(name)}`);
  if (NOT_IN_VALUE.test(value)) throw new TypeError(`the request's header '${name}' has a value that cannot be sent`);
  return `${name}: ${value.trim()}\r\n`;
}
