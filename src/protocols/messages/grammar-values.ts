/** Helpers that read JSON values without trusting their types. */

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

/** A value as text, short enough for a sentence. */
export function quote(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
