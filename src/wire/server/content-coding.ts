import { GatewayError } from "../../core/errors.ts";

/** The ways in which a request's body may be compressed (docs/rulings.md 163). */
export type ContentCoding = "gzip" | "deflate" | "br" | "zstd";

const CODINGS: ReadonlyMap<string, ContentCoding> = new Map([
  ["gzip", "gzip"],
  // An older name (RFC 9110, 8.4.1.3).
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
]);
const ACCEPTED = "gzip, deflate, br, zstd";

/**
 * The coding that a `content-encoding` header names, in small letters; null for no coding or `identity`. Throws
 * `unsupported_content_encoding` for an unknown coding and for several codings: each layer could be a bomb of its own.
 */
export function readContentCoding(header: string | null): ContentCoding | null {
  if (header === null) return null;
  // `trim` would remove more characters than HTTP's blanks.
  const names = header.split(/[\t ]*,[\t ]*/);
  const [name, second] = names.filter((named) => named !== "" && named !== "identity");
  if (name === undefined) return null;
  const coding = second === undefined ? CODINGS.get(name) : undefined;
  if (coding === undefined) throw unsupported(header, `one of ${ACCEPTED}, or none`, ACCEPTED);
  return coding;
}

/**
 * Throws `unsupported_content_encoding` for any coding: bodies of senders who are not authenticated are not unpacked.
 */
export function refuseContentCoding(header: string | null): void {
  if (header !== null && readContentCoding(header) !== null) throw unsupported(header, "none here", "identity");
}

function unsupported(header: string, allowed: string, accepted: string): GatewayError {
  return new GatewayError(
    "unsupported_content_encoding",
    `The content-encoding is ${JSON.stringify(header.slice(0, 100))}; allowed: ${allowed}.`,
    { headers: { "accept-encoding": accepted } },
  );
}
