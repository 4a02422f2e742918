import type { RefusalPage, RefusalSum, RefusedQuery, RefusedRequest } from "../../core/operations/refusals.ts";
import type { AuditRecord } from "../../core/people/audit.ts";
import type { RequestPage, RequestQuery } from "../../core/store/ports.ts";

/** Lists of all accounts, of which each cell has a part. */

export interface Created {
  readonly id: string;
  readonly created_ms: number;
}

/** Newest first, by time and then by id. */
export function newestFirst<Row extends Created>(parts: readonly (readonly Row[])[], limit: number): Row[] {
  return parts
    .flat()
    .toSorted((a, b) => b.created_ms - a.created_ms || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

/** Oldest first, by time and then by id. */
export function oldestFirst<Row extends Created>(parts: readonly (readonly Row[])[]): Row[] {
  return parts.flat().toSorted((a, b) => a.created_ms - b.created_ms || (a.id < b.id ? -1 : 1));
}

/** Entries newest first: those of one cell in the order in which they were written, those of one millisecond in the order of the cells. */
export function mergeEntries(parts: readonly (readonly AuditRecord[])[], limit: number): AuditRecord[] {
  const ranked = parts.flatMap((entries, cell) => entries.map((entry, at) => ({ entry, cell, at })));
  return ranked
    .toSorted((a, b) => b.entry.created_ms - a.entry.created_ms || a.cell - b.cell || a.at - b.at)
    .slice(0, limit)
    .map(({ entry }) => entry);
}

/**
 * A page of requests, which are listed by their ids. A cell whose list goes on does not know what lies behind its own last row, so the page reaches down
 * to the nearest such end.
 */
export function mergeRequests(parts: readonly RequestPage[], { limit }: RequestQuery): RequestPage {
  const [nearest] = parts
    .filter(({ next_before }) => next_before !== null)
    .toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1));
  const floor = nearest === undefined ? "" : idOf(nearest);
  const within = parts
    .flatMap(({ requests }) => requests)
    .filter(({ id }) => id >= floor)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const requests = within.slice(0, limit);
  const last = requests.at(-1);
  if (within.length > limit && last !== undefined) {
    return { requests, next_before: last.id, searched_back_to_ms: last.created_ms };
  }
  return {
    requests,
    next_before: nearest?.next_before ?? null,
    searched_back_to_ms: nearest?.searched_back_to_ms ?? null,
  };
}

function idOf({ next_before }: RequestPage): string {
  return next_before ?? "";
}

/**
 * What is found by an id in the parts: by the gateway's own before a client's, and that before an answer's, which several cells may have; of those
 * the newest.
 */
export function foundBy<Row extends { readonly client_request_id: string | null }>(
  parts: readonly (Row | null)[],
  id: string,
  placeOf: (row: Row) => { readonly id: string; readonly at_ms: number },
): Row | null {
  const ranked = parts.flatMap((row) => {
    if (row === null) return [];
    const place = placeOf(row);
    return [{ row, ...place, rank: place.id === id ? 0 : row.client_request_id === id ? 1 : 2 }];
  });
  const [first] = ranked.toSorted((a, b) => a.rank - b.rank || b.at_ms - a.at_ms || byText(b.id, a.id));
  return first?.row ?? null;
}

/** The rows with the same names as one, by the names. `add` adds a row to the sum so far. */
export function sumByName<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  add: (sum: Row, row: Row) => Row,
): Map<string, Row> {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? row : add(sum, row));
  }
  return sums;
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sums of refusals by whole minutes, down to the nearest end of a cell whose list goes on. */
export function mergeRefusals(parts: readonly RefusalPage[]): RefusalPage {
  const ends = parts.flatMap(({ next_to_ms }) => (next_to_ms === null ? [] : [next_to_ms]));
  const floor = ends.length === 0 ? null : Math.max(...ends);
  const sums = parts
    .flatMap((part) => part.sums)
    .filter(({ minute }) => floor === null || minute * MS_PER_MINUTE >= floor)
    .toSorted((a, b) => b.minute - a.minute || b.last_ms - a.last_ms || byText(placeOf(a), placeOf(b)));
  return { sums, next_to_ms: floor };
}

const MS_PER_MINUTE = 60_000;

function placeOf({ account_id, key_id, endpoint, code }: RefusalSum): string {
  return [account_id, key_id, endpoint, code].join("\n");
}

/** Refused requests in the order of their ids, which begin with the time. */
export function mergeRefused(parts: readonly (readonly RefusedRequest[])[], { limit }: RefusedQuery): RefusedRequest[] {
  return parts
    .flat()
    .toSorted((a, b) => byText(b.request_id, a.request_id))
    .slice(0, limit);
}
