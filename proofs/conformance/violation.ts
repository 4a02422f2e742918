/** The first mistake in an answer; the message says what the answer has and what the specification promises. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Throws a violation unless the condition holds. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Violation(problem);
}

/** Shortens a value for the message of a violation. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`;
}
