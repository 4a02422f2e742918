/** Checks of single values for the grammar of chat streams. */

export type Fields = Readonly<Record<string, unknown>>;

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

export function isFullString(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parseObject(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

export function quote(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(JSON.stringify(value));
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
