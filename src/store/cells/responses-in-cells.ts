import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { ZERO } from "../../core/money/money.ts";
import type { Cell, Cells } from "./cells.ts";

/** Responses, answers that are given again and contents lie with their account. Bounds of all together are those of each cell. */
export function responsesInCells(cells: Cells): ResponseStore {
  const at = async (account_id: string): Promise<ResponseStore> => (await cells.homeOf(account_id)).store.responses;
  const sum = async (ask: (store: ResponseStore) => Promise<number>): Promise<number> =>
    (await cells.each(({ store }) => ask(store.responses))).reduce((all, part) => all + part, 0);
  return {
    put: (rows, account_bytes) => apart(cells, rows, (store, own) => store.put(own, account_bytes)),
    find: async (account_id, keys, parts) => (await at(account_id)).find(account_id, keys, parts),
    chain: async (account_id, key, most, most_bytes) => (await at(account_id)).chain(account_id, key, most, most_bytes),
    findItems: async (account_id, keys) => (await at(account_id)).findItems(account_id, keys),
    remove: async (account_id, key) => (await at(account_id)).remove(account_id, key),
    removeExpired: (most) => sum((store) => store.removeExpired(most)),
    findCached: async (account_id, key, age_ms) => (await at(account_id)).findCached(account_id, key, age_ms),
    putCached: (rows) => apart(cells, rows, (store, own) => store.putCached(own)),
    trimCached: (most_bytes, most) => sum((store) => store.trimCached(most_bytes, most)),
    cachedBytes: async (account_id) =>
      account_id === null
        ? await sum((store) => store.cachedBytes(null))
        : await (await at(account_id)).cachedBytes(account_id),
    async emptyCached(account_id, until_ms, most) {
      if (account_id !== null) return await (await at(account_id)).emptyCached(account_id, until_ms, most);
      const parts = await cells.each(({ store }) => store.responses.emptyCached(null, until_ms, most));
      return {
        removed: parts.reduce((all, { removed }) => all + removed, 0),
        until_ms: Math.max(...parts.map((part) => part.until_ms)),
      };
    },
    countCached: (counts) => apart(cells, counts, (store, own) => store.countCached(own)),
    async cacheSums(account_id, from_ms, to_ms) {
      if (account_id !== null) return await (await at(account_id)).cacheSums(account_id, from_ms, to_ms);
      const parts = await cells.each(({ store }) => store.responses.cacheSums(null, from_ms, to_ms));
      return parts.reduce(
        (all, part) => ({
          hits: all.hits + part.hits,
          misses: all.misses + part.misses,
          saved_micro: all.saved_micro + part.saved_micro,
        }),
        { hits: 0, misses: 0, saved_micro: ZERO as bigint },
      );
    },
    putContents: (rows) => apart(cells, rows, (store, own) => store.putContents(own)),
    listContents: async (query) => (await at(query.account_id)).listContents(query),
    findContents: async (account_id, which, limit) => (await at(account_id)).findContents(account_id, which, limit),
    readSegments: async (account_id, ids) => (await at(account_id)).readSegments(account_id, ids),
    cutSegment: async (account_id, cut) => (await at(account_id)).cutSegment(account_id, cut),
    trimContents: (kept_since_ms, most_bytes, limit) =>
      sum((store) => store.trimContents(kept_since_ms, most_bytes, limit)),
  };
}

/** Writes rows where their accounts live, and those of each cell whatever becomes of the others; rejects where one could not be written. */
async function apart<Row extends { readonly account_id: string }>(
  cells: Cells,
  rows: readonly Row[],
  write: (store: ResponseStore, own: readonly Row[], cell: Cell) => Promise<void>,
): Promise<void> {
  const by_cell = await byHome(cells, rows);
  const written = await Promise.allSettled(
    Array.from(by_cell, async ([cell, own]) => await write(cell.store.responses, own, cell)),
  );
  for (const each of written) if (each.status === "rejected") throw each.reason;
}

/** Rows by the cells where their accounts live. */
export async function byHome<Row extends { readonly account_id: string }>(
  cells: Cells,
  rows: readonly Row[],
): Promise<Map<Cell, Row[]>> {
  const homes = await Promise.all(rows.map(({ account_id }) => cells.homeOf(account_id)));
  return Map.groupBy(rows, (_, at) => homes[at] ?? cells.directory);
}
