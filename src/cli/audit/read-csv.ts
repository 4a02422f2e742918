/** The rows of a CSV text (RFC 4180), each as its cells: quoted cells may have commas, quotes and line ends. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // A cell up to its comma or line end. Excel begins its files with a byte order mark.
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/gy;
  cell.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (found === null) throw new CsvError(rows.length + 1, text.slice(at, at + 40));
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === ",") {
      if (cell.lastIndex === text.length) row.push("");
      else continue;
    }
    if (row.some((each) => each !== "")) rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** A place that is no CSV. */
export class CsvError extends Error {
  override readonly name = "CsvError";
  constructor(line: number, near: string) {
    super(`row ${line} is no CSV near ${JSON.stringify(near)}: a cell with quotes begins and ends with them`);
  }
}
