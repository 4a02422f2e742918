/**
 * A plain reader of HTTP/1.1 requests from a whole text of bytes, which shares no code with the gateway's. It is as strict as the
 * gateway says that it is (docs/rulings.md 91): what could be read in two ways is malformed.
 */

export interface ReferenceRequest {
  readonly method: string;
  readonly target: string;
  /** Names in small letters, in the order of the head; repeated headers are joined. */
  readonly headers: ReadonlyMap<string, string>;
  /** latin1. */
  readonly body: string;
}

export interface ReferenceReading {
  readonly requests: readonly ReferenceRequest[];
  /** `malformed`: no further byte can be trusted; `open`: more bytes are needed. */
  readonly rest: "malformed" | "open" | "nothing";
}

const MAX_HEAD = 16 * 1024;
const MAX_LINE = 4096;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

class Malformed extends Error {}

/** The requests in the bytes (as latin1), up to the first that is not whole. */
export function referenceRequests(bytes: string): ReferenceReading {
  const requests: ReferenceRequest[] = [];
  let at = 0;
  try {
    for (;;) {
      const start = at + (/^(?:\r\n){0,4}/.exec(bytes.slice(at, at + 8))?.[0].length ?? 0);
      if (start === bytes.length) return { requests, rest: start === at ? "nothing" : "open" };
      const read = readRequest(bytes, start);
      if (read === null) return { requests, rest: "open" };
      requests.push(read.request);
      at = read.end;
    }
  } catch (thrown) {
    if (thrown instanceof Malformed) return { requests, rest: "malformed" };
    throw thrown;
  }
}

function readRequest(bytes: string, start: number): { request: ReferenceRequest; end: number } | null {
  const end = bytes.indexOf("\r\n\r\n", start);
  if (end === -1 || end - start > MAX_HEAD) return null;
  const [first = "", ...lines] = bytes.slice(start, end).split("\r\n");
  const [method = "", target = "", version = "", ...more] = first.split(" ");
  if (more.length > 0 || !TOKEN.test(method) || method.length > 40) throw new Malformed();
  if (!/^[!-~]+$/.test(target) || !isTarget(method, target) || !/^HTTP\/1\.[01]$/.test(version)) throw new Malformed();
  const headers = new Map<string, string>();
  const lengths = new Set<number>();
  let hosts = 0;
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]+):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is malformed.
    if (!TOKEN.test(name) || /[\0-\x08\n-\x1f\x7f]/.test(line)) throw new Malformed();
    const key = name.toLowerCase();
    if (key === "host") hosts += 1;
    if (key === "content-length") {
      if (!/^\d{1,15}$/.test(value)) throw new Malformed();
      lengths.add(Number(value));
    }
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  const is_1_0 = version === "HTTP/1.0";
  if (lines.length > 200 || hosts > 1 || (hosts === 0 && !is_1_0) || lengths.size > 1) throw new Malformed();
  const expect = headers.get("expect");
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") throw new Malformed();
  const coding = headers.get("transfer-encoding");
  const head = { method, target, headers };
  if (coding !== undefined) {
    if (coding.toLowerCase() !== "chunked" || lengths.size > 0 || is_1_0) throw new Malformed();
    const chunked = readChunks(bytes, end + 4);
    return chunked === null ? null : { request: { ...head, body: chunked.body }, end: chunked.end };
  }
  const [length = 0] = lengths;
  const body_end = end + 4 + length;
  if (body_end > bytes.length) return null;
  return { request: { ...head, body: bytes.slice(end + 4, body_end) }, end: body_end };
}

function isTarget(method: string, target: string): boolean {
  return target.startsWith("/") || /^https?:\/\/[^/?#]/i.test(target) || (method === "OPTIONS" && target === "*");
}

/** The data of the chunks; null where the last has not come. Extensions and trailers are skipped, and must be well-formed. */
function readChunks(bytes: string, start: number): { body: string; end: number } | null {
  let body = "";
  let at = start;
  for (;;) {
    const line = lineAt(bytes, at, /^[0-9a-fA-F]+(?:;[\t\x20-\x7e\x80-\xff]*)?$/);
    if (line === null) return null;
    const size = Number.parseInt(line, 16);
    if (size > Number.MAX_SAFE_INTEGER) throw new Malformed();
    at += line.length + 2;
    if (size === 0) break;
    body += bytes.slice(at, at + size);
    at += size;
    // A part of a line break decides as much as a whole one.
    if (!"\r\n".startsWith(bytes.slice(at, at + 2))) throw new Malformed();
    if (bytes.length < at + 2) return null;
    at += 2;
  }
  for (let lines = 1; ; lines += 1) {
    const line = lineAt(bytes, at, /^(?:|[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)$/);
    if (line === null) return null;
    if (lines > 100) throw new Malformed();
    at += line.length + 2;
    if (line === "") return { body, end: at };
  }
}

/** The line that begins here, which must match; null where its end has not come and what has come may begin such a line. */
function lineAt(bytes: string, at: number, pattern: RegExp): string | null {
  const end = bytes.indexOf("\r\n", at);
  const line = bytes.slice(at, end === -1 ? bytes.length : end);
  if (end !== -1) {
    if (!pattern.test(line) || line.length >= MAX_LINE) throw new Malformed();
    return line;
  }
  return null;
}
