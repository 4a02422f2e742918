import { placeOfCell } from "../../core/cell-place.ts";
import type { AccountSums, LimitCounts } from "../../core/ledger/account-sums.ts";
import { add } from "../../core/money/money.ts";
import type { TagNameCount } from "../../core/people/keys.ts";
import type { KeyRecord, KeyVersion } from "../../core/people/principal.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { Cell, Cells } from "./cells.ts";
import { byText, foundBy, sumByName } from "./merge-lists.ts";
import type { Asking } from "./routes.ts";

/** The cell of a key; the directory where no cell has it, which says so. */
export async function ofKey(cells: Cells, key_id: string): Promise<Cell> {
  const found = await cells.first((cell) => cell.store.accounts.findKey(key_id));
  if (found === null) return cells.directory;
  cells.noteKey(found.found, found.cell);
  return found.cell;
}

export async function ofProject(cells: Cells, project_id: string): Promise<Cell> {
  return (await cells.first((cell) => cell.store.accounts.findProject(project_id)))?.cell ?? cells.directory;
}

/**
 * A key by its secret's hash, and with it where its account lives. The cell that its text names is asked first; the others side by side where that one
 * lacks it, as an account may have moved, and for keys from before there were cells. Where one of those is away, and no other has it, nobody knows (docs/rulings.md 247).
 */
export async function findByHash(
  { cells, ask }: Asking<AccountStore["findKeyByHash"]>,
  hash: string,
  place?: string,
): Promise<KeyRecord | null> {
  const named = place === undefined ? undefined : cells.all.find(({ name }) => placeOfCell(name) === place);
  const asked = named && (await Promise.allSettled([(async () => await ask(named, hash))()]))[0];
  if (named !== undefined && asked?.status === "fulfilled" && asked.value !== null) {
    cells.noteKey(asked.value, named);
    return asked.value;
  }
  let is_told = true;
  const found = await cells.first((cell) => {
    if (cell !== named) return ask(cell, hash);
    if (asked?.status === "rejected") return Promise.reject(asked.reason);
    // When all are asked once more, so is it: the account may have come to it meanwhile.
    const again = is_told ? Promise.resolve(null) : ask(cell, hash);
    is_told = false;
    return again;
  });
  if (found === null) return null;
  cells.noteKey(found.found, found.cell);
  return found.found;
}

/**
 * Each cell is asked about its own keys. A key whose cell is not known counts as changed, and is looked for anew. Keys of a cell that is away count as
 * unchanged: no admission is granted there.
 */
export async function changedKeysOf(
  { cells, ask }: Asking<AccountStore["changedKeys"]>,
  known: readonly KeyVersion[],
): Promise<string[]> {
  const by_cell = Map.groupBy(known, ({ id }) => cells.cellOfKey(id));
  const parts = Array.from(by_cell, async ([cell, keys]) => {
    if (cell === undefined) return keys.map(({ id }) => id);
    try {
      return await ask(cell, keys);
    } catch (thrown) {
      if (cell !== cells.directory && thrown instanceof StoreUnavailable) return [];
      throw thrown;
    }
  });
  return (await Promise.all(parts)).flat();
}

/**
 * The row with an id. The gateway's own ids are in one cell, and are found although others are away. Several cells may have a client's id or an
 * answer's, so all must be there to know the newest.
 */
export async function sought<Row extends { readonly client_request_id: string | null }>(
  cells: Cells,
  ask: (cell: Cell) => Promise<Row | null>,
  id: string,
  placeOf: (row: Row) => { readonly id: string; readonly at_ms: number },
): Promise<Row | null> {
  const asked = cells.all.map(async (cell) => await ask(cell));
  const owned = asked.map(async (part) => {
    const row = await part;
    if (row === null || placeOf(row).id !== id) throw new Error("it is not here by its own id");
    return row;
  });
  return await Promise.any(owned).catch(async () => foundBy(await Promise.all(asked), id, placeOf));
}

/** The labels of ids, each of which one cell knows; those that no cell knows are left out. */
export function labels<Label extends { readonly id: string }>(parts: readonly (readonly Label[])[]): Label[] {
  return [...new Map(parts.flat().map((label) => [label.id, label])).values()];
}

export function sumTagNames(parts: readonly (readonly TagNameCount[])[], limit: number): TagNameCount[] {
  const sums = sumByName(
    parts.flat(),
    ({ name }) => name,
    (sum, each) => ({ name: sum.name, key_count: sum.key_count + each.key_count }),
  );
  return [...sums.values()].toSorted((a, b) => byText(a.name, b.name)).slice(0, limit);
}

export function sumCounts(parts: readonly LimitCounts[]): LimitCounts {
  return parts.reduce((sum, part) => ({
    keys: sum.keys + part.keys,
    limited_keys: sum.limited_keys + part.limited_keys,
    accounts: sum.accounts + part.accounts,
    limited_accounts: sum.limited_accounts + part.limited_accounts,
  }));
}

export function sumWallets(parts: readonly AccountSums[]): AccountSums {
  return parts.reduce((sum, part) => ({
    accounts: sum.accounts + part.accounts,
    disabled: sum.disabled + part.disabled,
    balance_micro: add(sum.balance_micro, part.balance_micro),
    held_micro: add(sum.held_micro, part.held_micro),
    month_micro: add(sum.month_micro, part.month_micro),
    counted_ms: sum.counted_ms === null || part.counted_ms === null ? null : Math.min(sum.counted_ms, part.counted_ms),
  }));
}
