import { classifyFetchError, UpstreamError } from "../wire/client/upstream-error.ts";

/** An answer's status and text. */
export interface FetchedText {
  readonly status: number;
  readonly text: string;
}

interface FetchBounds {
  /** The largest body that is taken, unpacked. */
  readonly max_bytes: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the answer to a GET as text, within a size and a time. A redirect is an answer like any other and is not
 * followed: it would carry the vendor's credential to another address. Rejects with an UpstreamError.
 */
export async function fetchText(
  url: string,
  headers: Readonly<Record<string, string>>,
  { max_bytes, signal }: FetchBounds,
): Promise<FetchedText> {
  try {
    const response = await fetch(url, { headers, redirect: "manual", keepalive: false, signal });
    return { status: response.status, text: await textOf(response, max_bytes) };
  } catch (thrown) {
    throw signal.aborted ? tooLate(thrown) : classifyFetchError(thrown);
  }
}

function tooLate(cause: unknown): UpstreamError {
  return new UpstreamError("total_timeout", "the vendor took too long to answer", cause);
}

async function textOf(response: Response, max_bytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > max_bytes) throw new UpstreamError("too_large", `the vendor's answer is larger than ${max_bytes} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
