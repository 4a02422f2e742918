/** Checks of single values for the grammars of streams. They import no code that the grammars judge. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isFullString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

export function isEmptyObject(value: unknown): boolean {
  return isFields(value) && Object.keys(value).length === 0;
}

export function parseObject(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether two JSON values are equal; the order of members does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  if (!isFields(one) || !isFields(other)) return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => key in other && isSame(one[key], other[key]));
}

/** A value as text, short enough for a sentence. */
export function quote(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
