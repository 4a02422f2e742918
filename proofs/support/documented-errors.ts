/** One row of a table in docs/api.md, one code at a time. */
export interface DocumentedRow {
  readonly section: string;
  readonly code: string;
  readonly status: number;
  /** Style A's type, then style B's where the table serves both styles and they differ. */
  readonly types: readonly string[];
}

const document = await Bun.file(new URL("../../docs/api.md", import.meta.url)).text();

/** The text of a heading's section, up to the next heading of the same or a higher level. */
export function sectionOf(heading: RegExp): string {
  const start = document.search(heading);
  const level = /^#+/.exec(document.slice(start))?.[0] ?? "";
  const rest = document.slice(start + level.length);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, "m"));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The cells of every table line, header and ruler left out. */
export function tableRows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("|---") && !/\| Status \|/.test(line))
    .map((line) => line.slice(1, -1).split(" | "));
}

/** The texts in backticks. */
export function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** The rows of a sub-section of docs/api.md section 7. */
export function documentedRows(section: string): DocumentedRow[] {
  return tableRows(sectionOf(new RegExp(`^### ${section.replace(".", "\\.")} `, "m"))).flatMap(
    ([status = "", types = "", codes = ""]) =>
      quoted(codes).map((code) => ({ section, code, status: Number(status), types: quoted(types) })),
  );
}
