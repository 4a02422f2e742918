import type { LedgerOp, LedgerResult } from "../../core/ledger/ledger.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import type { LedgerStore, Recovery } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { Cell, Cells } from "./cells.ts";
import { bookOwedElsewhere } from "./users-in-cells.ts";

/**
 * The ledger of all cells, for commands that commit a few operations now and then; a gateway has a queue for each cell (ledger/lanes.ts). Operations are
 * committed in each cell by itself, so a commit may reject after a part of it has taken place.
 */
export function ledgerInCells(cells: Cells): LedgerStore {
  const admitted = new Map<string, Cell>();
  return {
    async commit(ops) {
      const named = await Promise.all(
        ops.map(
          async (op) => (await homeOf(cells, op)) ?? ("request_id" in op ? admitted.get(op.request_id) : null) ?? null,
        ),
      );
      const [nearest = cells.directory] = named.filter((cell) => cell !== null);
      const homes = named.map((cell) => cell ?? nearest);
      const by_cell = Map.groupBy(
        ops.map((op, at) => ({ op, at })),
        ({ at }) => homes[at] ?? cells.directory,
      );
      const results: LedgerResult[] = [];
      const parts = Array.from(by_cell, async ([cell, part]) => {
        const done = await cell.store.ledger.commit(part.map(({ op }) => op));
        for (const [index, { at }] of part.entries()) results[at] = done[index] as LedgerResult;
      });
      for (const each of await Promise.allSettled(parts)) if (each.status === "rejected") throw each.reason;
      if (admitted.size > REMEMBERED) admitted.clear();
      for (const [at, op] of ops.entries())
        if (op.op === "admit") admitted.set(op.request_id, homes[at] ?? cells.directory);
      return await inOthers(cells, ops, results);
    },
    async sweep(node_id, localStateOf) {
      const recovered = await sum(cells.present(({ store }) => store.ledger.sweep(node_id, localStateOf)));
      await bookWhatWaited(cells);
      return recovered;
    },
    bury: (node_id) => sum(cells.present(({ store }) => store.ledger.bury(node_id))),
    async leave(node_id) {
      await Promise.allSettled(cells.all.map(async ({ store }) => await store.ledger.leave(node_id)));
    },
  };
}

/** Credit of invitations whose cell was away when they were accepted. */
async function bookWhatWaited(cells: Cells): Promise<void> {
  try {
    await bookOwedElsewhere(cells, BY_GATEWAY);
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
  }
}

const BY_GATEWAY: AuditNote = {
  actor: { kind: "gateway", id: null, name: "gateway" },
  action: "credit.add",
  address: null,
};

/**
 * The results of a cell's commit. Where an account has moved since its request was admitted, the operation is committed in its new cell: a late end, or
 * one that is sent again because its answer was lost.
 */
export async function afterMoved(
  cells: Cells,
  cell: Cell,
  ops: readonly LedgerOp[],
  results: LedgerResult[],
): Promise<LedgerResult[]> {
  for (const [at, op] of ops.entries()) {
    if (results[at]?.outcome !== "unknown_request" || !("account_id" in op) || op.account_id === undefined) continue;
    const found = await cells.directory.store.accounts.findAccount(op.account_id);
    const home = cells.noteAccount(op.account_id, found);
    if (home === cell) continue;
    const [result] = await home.store.ledger.commit([op]);
    if (result !== undefined) results[at] = result;
  }
  return results;
}

/** How many admitted requests are remembered with their cells; for others all cells are asked. */
const REMEMBERED = 10_000;

async function homeOf(cells: Cells, op: LedgerOp): Promise<Cell | null> {
  const account_id = "account_id" in op ? op.account_id : undefined;
  return account_id === undefined ? null : await cells.homeOf(account_id);
}

/** An operation that names a request and no account is committed in one cell after the other until one knows the request. */
async function inOthers(cells: Cells, ops: readonly LedgerOp[], results: LedgerResult[]): Promise<LedgerResult[]> {
  for (const [at, op] of ops.entries()) {
    if ("account_id" in op && op.account_id !== undefined) continue;
    for (const { store } of cells.all) {
      if (!isUnknown(results[at])) break;
      const [result] = await store.ledger.commit([op]);
      if (result !== undefined) results[at] = result;
    }
  }
  return results;
}

/** Whether a cell may not have the request: a result of progress does not say so, and a refused extension may be of a request of another cell. */
function isUnknown(result: LedgerResult | undefined): boolean {
  return result?.outcome === "unknown_request" || result?.outcome === "recorded" || result?.outcome === "refused";
}

async function sum(parts: Promise<readonly { readonly result: Recovery }[]>): Promise<Recovery> {
  return (await parts).reduce<Recovery>(
    (all, { result }) => ({
      settled: all.settled + result.settled,
      voided: all.voided + result.voided,
      ...nextOf(all.next_ms, result.next_ms),
    }),
    { settled: 0, voided: 0 },
  );
}

function nextOf(a: number | undefined, b: number | undefined): Pick<Recovery, "next_ms"> {
  const next_ms = Math.min(a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(next_ms) ? { next_ms } : {};
}
