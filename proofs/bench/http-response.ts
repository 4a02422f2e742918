/** Reads HTTP/1.1 responses as the load generator gets them: byte by byte correct, and cheap. */

export interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";

/**
 * The response in `received` (Latin-1), or null while the response is incomplete. There is no pipelining, so `received`
 * has one response at most.
 */
export function readResponse(received: string): HttpResponse | null {
  const head_end = received.indexOf(HEAD_END);
  if (head_end === -1) return null;
  const head = received.slice(0, head_end);
  const status = Number(head.slice(9, 12));
  const start = head_end + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return received.length >= end ? { status, body: received.slice(start, end) } : null;
  }
  // The body is parsed only when it may be complete.
  if (!received.endsWith("0\r\n\r\n")) return null;
  const body = readChunks(received, start);
  return body === null ? null : { status, body };
}

function readChunks(received: string, start: number): string | null {
  let body = "";
  let at = start;
  while (true) {
    const line_end = received.indexOf("\r\n", at);
    if (line_end === -1) return null;
    const size = Number.parseInt(received.slice(at, line_end), 16);
    if (Number.isNaN(size)) throw new Error(`not a chunk size: ${JSON.stringify(received.slice(at, line_end))}`);
    if (size === 0) return body;
    at = line_end + 2 + size + 2;
    if (at > received.length) return null;
    body += received.slice(line_end + 2, at - 2);
  }
}
