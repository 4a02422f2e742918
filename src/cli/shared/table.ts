import { amountText } from "../../../contract/amounts.ts";

/** Lines up cells in columns, two spaces apart. A heading with `>` in front has its cells at the right. Ends without a line break. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings.map((heading) => heading.replace(/^>/, "")), ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, index) => Math.max(...lines.map((line) => Bun.stringWidth(line[index] ?? ""))));
  const padded = (cell: string, index: number): string =>
    pad(cell, widths[index] ?? 0, headings[index]?.startsWith(">") ? "right" : "left");
  return lines.map((line) => line.map(padded).join("  ").trimEnd()).join("\n");
}

/** Formats one line for each field that has a value: `name   value`. */
export function formatFields(fields: readonly (readonly [name: string, value: string | null | undefined])[]): string {
  const known = fields.filter((field): field is [string, string] => typeof field[1] === "string");
  const width = Math.max(...known.map(([name]) => Bun.stringWidth(name)));
  return known.map(([name, value]) => `${pad(name, width)}  ${printable(value)}`.trimEnd()).join("\n");
}

function pad(text: string, width: number, side: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
  return side === "right" ? space + text : text + space;
}

/** A text without control characters. Names and notes come from users and must not control the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "�");
}

/** `1 vendor`, `2 vendors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** An amount of the console API as people read it: `25.00 USD`. */
export function money(amount_micro: number, currency: string): string {
  return `${amountText(amount_micro)} ${currency}`;
}
