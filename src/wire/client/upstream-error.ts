/** Why a call to a vendor gave no answer, or no complete answer, as the transport sees it. */
export type UpstreamFault =
  /** No connection: refused, unknown host, TLS failure, connect timeout. Nothing was sent. */
  | "unreachable"
  /** Connected, but no answer began in time. */
  | "first_byte_timeout"
  /** The answer paused for too long. */
  | "idle_timeout"
  /** The whole call took too long. */
  | "total_timeout"
  /** The connection broke before the answer's end. */
  | "broken"
  /** No credential could be made for the call, or none that a header can carry. Nothing was sent. */
  | "credential"
  /** The answer is larger than the gateway takes. */
  | "too_large"
  /** The gateway closed the call, because the client left or a limit was reached. */
  | "aborted";

export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly fault: UpstreamFault;

  constructor(fault: UpstreamFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

/** Error codes of Bun's fetch that mean that no connection was made. */
const UNREACHABLE = new Set([
  "ConnectionRefused",
  "ECONNREFUSED",
  "FailedToOpenSocket",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "ConnectionTimeout",
  "ERR_INVALID_URL",
]);

/** OpenSSL's words for a certificate whose authority is unknown here. */
const UNTRUSTED = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
]);

/** Its words for a certificate that is wrong in another way, as far as they do not speak of certificates. */
const UNFIT = new Set(["INVALID_CA", "INVALID_PURPOSE", "PATH_LENGTH_EXCEEDED", "HOSTNAME_MISMATCH"]);

/** What the code of a failed handshake says of the server's certificate, and what to do; null where it is about something else. */
export function certificateProblem(code: string): string | null {
  if (UNTRUSTED.has(code))
    return `its certificate is of an unknown authority, ${code}: name the authority's file in NODE_EXTRA_CA_CERTS, and start again`;
  if (code === "CERT_HAS_EXPIRED") return `its certificate has expired, ${code}`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `its certificate is for another name or address, ${code}`;
  return code.includes("CERT") || UNFIT.has(code) ? `its certificate is not accepted, ${code}` : null;
}

/** A failed TLS handshake, before which nothing was sent. */
export function tlsFailure(code: string, cause?: unknown): UpstreamError {
  const why = certificateProblem(code) ?? code;
  return new UpstreamError("unreachable", `TLS with the vendor failed (${why})`, cause);
}

/** A fetch failure as an UpstreamError. TLS failures (certificate codes) happen before anything is sent. */
export function classifyFetchError(thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (UNREACHABLE.has(code)) return new UpstreamError("unreachable", `no connection to the vendor (${code})`, thrown);
  if (certificateProblem(code) !== null || /SSL|TLS/i.test(code)) return tlsFailure(code, thrown);
  return new UpstreamError("broken", `the connection to the vendor broke (${code || "no code"})`, thrown);
}
