/** A failed request, as its endpoint reports it. */
export interface Failure {
  /** The HTTP status; null where the stream had begun, or no answer came. */
  readonly status: number | null;
  /** A sentence for people. */
  readonly message: string;
  /** The error's type; like `code`, null where the endpoint's shape does not have it. */
  readonly type: string | null;
  readonly code: string | null;
  /** The body with its JSON indented; null where no body came. */
  readonly body: string | null;
}

/** Reads a refusal's body: style A, style B, or any other text. */
export async function readFailure(response: Response): Promise<Failure> {
  const text = await response.text().catch(() => "");
  return failureOf(text, response.status);
}

/** Reads the text of a body, or of an event of a stream that reports an error. */
export function failureOf(text: string, status: number | null): Failure {
  const value = parse(text);
  const error = innerError(value);
  const word = (name: string) => (typeof error[name] === "string" ? (error[name] as string) : null);
  return {
    status,
    message: word("message") ?? (status === null ? "The answer broke off." : `The gateway answered with ${status}.`),
    type: word("type"),
    code: word("code"),
    body: value === undefined ? text || null : JSON.stringify(value, null, 2),
  };
}

/** The error of `{error}`, of `{type: "error", error}` or of `{type: "response.failed", response: {error}}`. */
function innerError(value: unknown): Record<string, unknown> {
  const { error, response } = asObject(value);
  return asObject(error ?? asObject(response).error ?? value);
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
