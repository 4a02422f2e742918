/** The first thing wrong with an answer: a sentence that says what was found and what was promised. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Throws a violation unless the condition holds. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Violation(problem);
}

/** A value as a violation quotes it, shortened. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`;
}
