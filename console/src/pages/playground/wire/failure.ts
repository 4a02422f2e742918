/** A request that went wrong, as its endpoint says it. */
export interface Failure {
  /** The status; null where the stream had begun, or no answer came. */
  readonly status: number | null;
  /** The sentence for people. */
  readonly message: string;
  /** The error's type and code, where the endpoint's shape has them. */
  readonly type: string | null;
  readonly code: string | null;
  /** The body exactly as it came, its JSON indented; null where none came. */
  readonly body: string | null;
}

/** A refusal's body: style A, style B, or whatever came. */
export async function readFailure(response: Response): Promise<Failure> {
  const text = await response.text().catch(() => "");
  return failureOf(text, response.status);
}

/** The same for an error that comes as an event of a stream. */
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

/** `{error}`, `{type: "error", error}` and `{type: "response.failed", response: {error}}`. */
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
