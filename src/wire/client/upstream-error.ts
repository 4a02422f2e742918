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

/** A fetch failure as an UpstreamError. TLS failures (certificate codes) happen before anything is sent. */
export function classifyFetchError(thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (UNREACHABLE.has(code)) return new UpstreamError("unreachable", `no connection to the vendor (${code})`, thrown);
  if (/CERT|SSL|TLS/i.test(code))
    return new UpstreamError("unreachable", `TLS with the vendor failed (${code})`, thrown);
  return new UpstreamError("broken", `the connection to the vendor broke (${code || "no code"})`, thrown);
}
