import { type Cell, csv } from "../../../contract/csv.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { given } from "../../core/given.ts";
import type { Page, ShownPage } from "../answer/page.ts";

/** How many records of an exported file are read at a time: no more than these are in memory, however long the file is. */
const FILE_PAGE = 500;

type Rows = readonly (readonly Cell[])[];

/** A list that is read a page at a time, and its rows in a file. */
interface PagedRows<Shown> {
  readonly columns: readonly string[];
  readonly read: (page: Page) => Promise<ShownPage<Shown>>;
  readonly rowsOf: (shown: Shown[]) => Rows | Promise<Rows>;
}

export function csvAnswer(name: string, rows: Rows): ConsoleAnswer {
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
export async function csvFile<Shown>(name: string, list: PagedRows<Shown>): Promise<ConsoleAnswer> {
  const first = await readRows(list, undefined);
  return { status: 200, body: "", pieces: pieces(list, first), headers: headersOf(name) };
}

async function readRows<Shown>({ read, rowsOf }: PagedRows<Shown>, before_id: string | undefined) {
  const { data, next_before } = await read({ limit: FILE_PAGE, ...given({ before_id }) });
  return { rows: await rowsOf(data), next_before };
}

async function* pieces<Shown>(
  list: PagedRows<Shown>,
  first: { readonly rows: Rows; readonly next_before: string | null },
): AsyncGenerator<string, void> {
  yield csv([list.columns, ...first.rows]);
  for (let before = first.next_before; before !== null; ) {
    const page = await readRows(list, before);
    if (page.rows.length > 0) yield csv(page.rows);
    before = page.next_before;
  }
}
