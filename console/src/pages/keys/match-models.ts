/** Typed patterns of model ids, separated by spaces, commas or lines. */
export function readPatterns(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((pattern) => pattern !== ""))];
}

/** A test whether a pattern allows a model's id, by the gateway's rule: `*` stands for any text. Null allows all. */
export function modelFilter(patterns: readonly string[] | null): (id: string) => boolean {
  if (patterns === null) return () => true;
  const alternatives = patterns.map((pattern) => pattern.split(/\*+/).map(literally).join(".*"));
  const expression = new RegExp(`^(?:${alternatives.join("|")})$`, "s");
  return (id) => patterns.length > 0 && expression.test(id);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
