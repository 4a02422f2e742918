import type { ClaimedDelivery, ClaimQuery, DeliveryRecord } from "../../core/deliveries/deliveries.ts";
import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import type { UsageEvent } from "../../core/deliveries/usage-events.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { Cell, Cells } from "./cells.ts";
import { byText, newestFirst } from "./merge-lists.ts";

type UsageDeliveries = Pick<
  DeliveryStore,
  | "beginUsage"
  | "findUnsentUsage"
  | "cutUsage"
  | "readUsage"
  | "claimDelivery"
  | "endDelivery"
  | "delayDelivery"
  | "listDeliveries"
  | "findDelivery"
  | "resendDelivery"
  | "dropDeliveries"
>;

/**
 * Usage events are put down where the ledger is that they tell, in the transaction that moves the place in it, so their deliveries lie in every cell,
 * and those of a cell that is away wait there. All other deliveries are the directory's.
 */
export function usageInCells(cells: Cells): UsageDeliveries {
  const { deliveries: own } = cells.directory.store;
  const begun = new Map<Cell, Set<string>>();
  const claimed = new Map<string, Cell>();
  const cellOf = async (id: string): Promise<Cell> => {
    const found = claimed.get(id) ?? (await cells.first((cell) => cell.store.deliveries.findDelivery(id)))?.cell;
    return found ?? cells.directory;
  };
  /** Makes a target known in a cell, once for this process: one that was away before gets it when it is back. */
  const begin = async (cell: Cell, target_id: string): Promise<DeliveryStore> => {
    const { deliveries } = cell.store;
    const known = begun.get(cell) ?? new Set();
    if (!known.has(target_id)) await deliveries.beginUsage(target_id);
    begun.set(cell, known.add(target_id));
    return deliveries;
  };
  const endClaim = async (id: string): Promise<DeliveryStore> => {
    const cell = await cellOf(id);
    claimed.delete(id);
    return cell.store.deliveries;
  };
  return {
    async beginUsage(target_id) {
      await cells.present((cell) => begin(cell, target_id));
    },
    async findUnsentUsage(target_id, after_id, limit) {
      const parts = await cells.present(async (cell) =>
        (await begin(cell, target_id)).findUnsentUsage(target_id, after_id, limit),
      );
      for (const { cell, result } of parts) for (const id of result) cells.noteHome(id, cell);
      const ids = parts.flatMap(({ result }) => result);
      return ids.toSorted(byText).slice(0, limit);
    },
    async cutUsage(cut) {
      const homes = await Promise.all(cut.accounts.map((id) => cells.homeOf(id)));
      const parts = await cells.present(async (cell) => {
        const accounts = cut.accounts.filter((_, at) => homes[at] === cell);
        return accounts.length === 0 ? 0 : await cell.store.deliveries.cutUsage({ ...cut, accounts });
      });
      return parts.reduce((sum, { result }) => sum + result, 0);
    },
    async readUsage(parts) {
      const homes = await Promise.all(parts.map(({ account_id }) => cells.homeOf(account_id)));
      const read: UsageEvent[] = [];
      for (const [at, part] of parts.entries()) {
        const { store } = homes[at] ?? cells.directory;
        read.push(...(await store.deliveries.readUsage([part])));
      }
      return read;
    },
    claimDelivery: (query) => (query.over === "usage" ? claimUsage(cells, query, claimed) : own.claimDelivery(query)),
    endDelivery: async (claim, outcome) =>
      (claim.kind === "usage" ? await endClaim(claim.id) : own).endDelivery(claim, outcome),
    delayDelivery: async (claim, wait_ms, outcome) =>
      (claim.kind === "usage" ? await endClaim(claim.id) : own).delayDelivery(claim, wait_ms, outcome),
    listDeliveries: (query) => (query.account_id === null ? listDeliveries(cells, query) : own.listDeliveries(query)),
    findDelivery: async (id) => (await cells.first(({ store }) => store.deliveries.findDelivery(id)))?.found ?? null,
    resendDelivery: async (id, ttl_ms) => (await cellOf(id)).store.deliveries.resendDelivery(id, ttl_ms),
    async dropDeliveries(kept_since_ms, usage_since_ms) {
      const parts = await cells.present(({ store }) => store.deliveries.dropDeliveries(kept_since_ms, usage_since_ms));
      return parts.reduce((sum, { result }) => sum + result, 0);
    },
  };
}

/** Of the cells in turn, beginning behind the one that was last: none waits for another's to be sent. */
async function claimUsage(
  cells: Cells,
  query: ClaimQuery,
  claimed: Map<string, Cell>,
): Promise<{ delivery: ClaimedDelivery | null; given_up: number }> {
  let given_up = 0;
  for (const cell of cells.inTurn()) {
    try {
      const part = await cell.store.deliveries.claimDelivery(query);
      given_up += part.given_up;
      if (part.delivery === null) continue;
      claimed.set(part.delivery.id, cell);
      return { delivery: part.delivery, given_up };
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
    }
  }
  return { delivery: null, given_up };
}

async function listDeliveries(
  cells: Cells,
  query: Parameters<DeliveryStore["listDeliveries"]>[0],
): Promise<DeliveryRecord[]> {
  const { before_id } = query;
  const before =
    before_id === undefined ? null : await cells.first((cell) => cell.store.deliveries.findDelivery(before_id));
  const asked = before === null ? query : { ...query, before_ms: before.found.created_ms };
  return newestFirst(await cells.each(({ store }) => store.deliveries.listDeliveries(asked)), query.limit);
}
