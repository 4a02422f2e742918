export type Cell = string | number | null;

/**
 * Rows as RFC 4180 text. A text that a spreadsheet would take for a formula gets an apostrophe in front, so that a
 * key's name cannot run a formula on the machine of a person who opens the file (docs/rulings.md 109).
 */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
