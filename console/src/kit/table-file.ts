import { type Cell, csv } from "../../../contract/csv.ts";

/**
 * The rows of a table as CSV, in the order in which it shows them, under its columns' names: amounts and counts with all of their digits, times
 * as RFC 3339 in UTC. `columns`: the column of each cell, or null for one that has buttons in place of values.
 */
export function csvOfTable(table: HTMLTableElement, columns: readonly (string | null)[]): string {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const kept = <Value>(values: readonly Value[]) => values.filter((_, at) => columns[at] != null);
  return csv([kept(columns).map((name) => name ?? ""), ...rows.map((row) => kept([...row.cells]).map(cellOf))]);
}

function cellOf(cell: Element): Cell {
  const text = textOf(cell);
  if (text === "–" || text === "") return null;
  // A negative number is none of the texts that a spreadsheet takes for a formula.
  return /^-\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

/** What a cell says, its parts with a space between them. */
function textOf(element: Element): string {
  let said = "";
  let before: ParentNode | null = null;
  for (const { text, parent } of textsIn(element)) {
    // The browser has one sentence in several texts of one element.
    said += parent === before ? text : ` ${text}`;
    before = parent;
  }
  return said
    .replace(/\s+/g, " ")
    .replace(/ ([,;)])/g, "$1")
    .trim();
}

function* textsIn(element: Element): Generator<{ text: string; parent: ParentNode }> {
  const value = wordFor(element);
  if (value !== null) return yield { text: value, parent: element };
  for (const node of element.childNodes) {
    if (node instanceof Text) yield { text: node.data, parent: element };
    else if (node instanceof Element && !node.matches(".sr-only, svg, button, input")) yield* textsIn(node);
  }
}

/** What stands for an element's words, which are rounded: an amount, a count, or a time. */
function wordFor(element: Element): string | null {
  if (element instanceof HTMLTimeElement) return element.dateTime;
  if (!(element instanceof HTMLDataElement)) return null;
  return element.hasAttribute("data-micro") ? decimalOf(element.value) : element.value;
}

/** Micro units as a decimal number, without a float in between. */
function decimalOf(micro: string): string {
  const sign = micro.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = micro.slice(sign.length).split(".");
  const digits = whole.padStart(7, "0");
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}${fraction}`.replace(/\.?0+$/, "");
}

/** Has the browser keep a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
