import { type Cell, csv } from "../../../contract/csv.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";

/** A part of a file's rows, and where the next part begins; null after the last. */
interface CsvPage {
  readonly rows: readonly (readonly Cell[])[];
  readonly next_before: string | null;
}

export function csvAnswer(name: string, rows: readonly (readonly Cell[])[]): ConsoleAnswer {
  return { status: 200, body: csv(rows), headers: headersOf(name) };
}

function headersOf(name: string): Readonly<Record<string, string>> {
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}.csv"`,
  };
}

/**
 * A list as a file of any length: read a part at a time, as the client takes it. The first part is read before the answer begins, so
 * that a refusal is still an answer of its own; a later failure cuts the connection, and so no half file looks whole.
 */
export async function csvFile(
  name: string,
  columns: readonly string[],
  read: (before: string | undefined) => Promise<CsvPage>,
): Promise<ConsoleAnswer> {
  const first = await read(undefined);
  return { status: 200, body: "", pieces: pieces(columns, first, read), headers: headersOf(name) };
}

async function* pieces(
  columns: readonly string[],
  first: CsvPage,
  read: (before: string | undefined) => Promise<CsvPage>,
): AsyncGenerator<string, void> {
  yield csv([columns, ...first.rows]);
  for (let before = first.next_before; before !== null; ) {
    const page = await read(before);
    if (page.rows.length > 0) yield csv(page.rows);
    before = page.next_before;
  }
}
