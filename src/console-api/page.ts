import type { PageQuery } from "../../contract/common.ts";

/**
 * Lists that can grow long are given newest first, a page at a time, each page naming where the next begins: a time, and
 * how many records of that same millisecond have been shown.
 */

const DEFAULT_LIMIT = 50;

interface Page {
  readonly limit: number;
  /** Records at the beginning of what is read that an earlier page has shown. */
  readonly skip: number;
  /** What is asked of the store: enough to fill the page and to see whether there is more. */
  readonly read: { readonly limit: number; readonly before_ms?: number };
}

/** Reads the page that a query asks for; its schema has checked the digits. */
export function readPage(query: PageQuery): Page {
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit);
  if (query.before === undefined) return { limit, skip: 0, read: { limit: limit + 1 } };
  const [time_ms = 0, skip = 0] = query.before.split("-").map(Number);
  return { limit, skip, read: { limit: limit + skip + 1, before_ms: time_ms + 1 } };
}

interface ShownPage<Shown> {
  object: "list";
  data: Shown[];
  has_more: boolean;
  next_before: string | null;
}

/** Shows the page out of the records that were read for it. */
export function showPage<Item extends { readonly created_ms: number }, Shown>(
  records: readonly Item[],
  page: Page,
  show: (record: Item) => Shown,
): ShownPage<Shown> {
  const end = page.skip + page.limit;
  const has_more = records.length > end;
  return {
    object: "list",
    data: records.slice(page.skip, end).map(show),
    has_more,
    next_before: has_more ? cursorAfter(records.slice(0, end)) : null,
  };
}

function cursorAfter(read: readonly { readonly created_ms: number }[]): string {
  const time_ms = read.at(-1)?.created_ms ?? 0;
  return `${time_ms}-${read.filter(({ created_ms }) => created_ms === time_ms).length}`;
}
