import type { PageQuery } from "../../contract/common.ts";

/** Lists that can grow long are given newest first, a page at a time, each page naming where the next begins. */

const DEFAULT_LIMIT = 50;

interface Page {
  readonly limit: number;
  readonly before_ms?: number;
}

/** Reads the page that a query asks for; its schema has checked the digits. */
export function readPage(query: PageQuery): Page {
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit);
  return query.before === undefined ? { limit } : { limit, before_ms: Number(query.before) };
}

interface ShownPage<Shown> {
  object: "list";
  data: Shown[];
  has_more: boolean;
  next_before: string | null;
}

/** Shows a page of records, of which one more than the limit was asked for, to learn whether there are more. */
export function showPage<Item extends { readonly created_ms: number }, Shown>(
  records: readonly Item[],
  page: Page,
  show: (record: Item) => Shown,
): ShownPage<Shown> {
  const shown = records.slice(0, page.limit);
  const has_more = records.length > shown.length;
  const last = shown.at(-1);
  return {
    object: "list",
    data: shown.map(show),
    has_more,
    next_before: has_more && last ? String(last.created_ms) : null,
  };
}
