import type { AlertFacts, GatewayFacts } from "../../core/deliveries/alerts.ts";
import type { Claim, ClaimedDelivery, ClaimQuery } from "../../core/deliveries/deliveries.ts";
import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import type { UsageEvent } from "../../core/deliveries/usage-events.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { Cell, Cells } from "./cells.ts";
import { incidentIn } from "./incident-ids.ts";
import { byText, newestFirst, sumByName } from "./merge-lists.ts";
import { type Asking, byHome, type CellRoutes, first, found, inCells, present, sum } from "./routes.ts";

/** Alerts, targets and their deliveries belong to the directory. The facts from which alerts are found are read where the accounts live. */
export function deliveriesInCells(cells: Cells): DeliveryStore {
  const routes = { readAlertFacts, listDeliveries, findDelivery: first(), ...usageRoutes() } satisfies DeliveryRoutes;
  return {
    ...cells.directory.store.deliveries,
    ...inCells(cells, routes, ({ store }) => store.deliveries),
  };
}

type DeliveryRoutes = Partial<CellRoutes<DeliveryStore>>;

/**
 * Usage events are written in the cell whose ledger they tell of, in the transaction that moves the target's place in it. So every cell has deliveries of
 * its own, and those of a cell that is away wait there. All other deliveries are the directory's.
 */
function usageRoutes() {
  const begun = new Map<Cell, Set<string>>();
  const claimed = new Map<string, Cell>();
  const cellOf = async (cells: Cells, id: string): Promise<Cell> => {
    const known = claimed.get(id) ?? (await cells.first((cell) => cell.store.deliveries.findDelivery(id)))?.cell;
    return known ?? cells.directory;
  };
  /** Makes a target known in a cell, once for this process: one that was away before gets it when it is back. */
  const begin = async (cell: Cell, target_id: string): Promise<void> => {
    const known = begun.get(cell) ?? new Set();
    if (!known.has(target_id)) await cell.store.deliveries.beginUsage(target_id);
    begun.set(cell, known.add(target_id));
  };
  const cellOfClaim = async (cells: Cells, { id, kind }: Claim): Promise<Cell> => {
    if (kind !== "usage") return cells.directory;
    const cell = await cellOf(cells, id);
    claimed.delete(id);
    return cell;
  };
  return {
    async beginUsage({ cells }, target_id) {
      await cells.present((cell) => begin(cell, target_id));
    },
    async findUnsentUsage({ cells, ask }, target_id, after_id, limit) {
      const parts = await cells.present(async (cell) => {
        await begin(cell, target_id);
        return await ask(cell, target_id, after_id, limit);
      });
      for (const { cell, result } of parts) for (const id of result) cells.noteHome(id, cell);
      return parts
        .flatMap(({ result }) => result)
        .toSorted(byText)
        .slice(0, limit);
    },
    async cutUsage({ cells, ask }, cut) {
      const by_cell = await byHome(cells, cut.accounts, (id) => id);
      const parts = await cells.present(async (cell) => {
        const accounts = by_cell.get(cell);
        return accounts === undefined ? 0 : await ask(cell, { ...cut, accounts });
      });
      return sum(parts.map(({ result }) => result));
    },
    async readUsage({ cells, ask }, parts) {
      const homes = await Promise.all(parts.map(({ account_id }) => cells.homeOf(account_id)));
      const read: UsageEvent[] = [];
      for (const [at, part] of parts.entries()) read.push(...(await ask(homes[at] ?? cells.directory, [part])));
      return read;
    },
    claimDelivery: ({ cells, ask }, query) =>
      query.over === "usage" ? claimUsage(cells, query, claimed) : ask(cells.directory, query),
    endDelivery: found(cellOfClaim),
    delayDelivery: found(cellOfClaim),
    resendDelivery: found(cellOf),
    dropDeliveries: present(sum),
  } satisfies DeliveryRoutes;
}

/** Claims from the cells in turn, beginning with the one after the last: no cell waits until another's deliveries are all sent. */
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
  { cells, ask }: Asking<DeliveryStore["listDeliveries"]>,
  query: Parameters<DeliveryStore["listDeliveries"]>[0],
) {
  const { account_id, before_id, limit } = query;
  if (account_id !== null) return await ask(cells.directory, query);
  const before =
    before_id === undefined ? null : await cells.first((cell) => cell.store.deliveries.findDelivery(before_id));
  const asked = before === null ? query : { ...query, before_ms: before.found.created_ms };
  return newestFirst(await cells.each((cell) => ask(cell, asked)), limit);
}

async function readAlertFacts(
  { cells, ask }: Asking<DeliveryStore["readAlertFacts"]>,
  accounts: readonly string[] | null,
  open: Parameters<DeliveryStore["readAlertFacts"]>[1],
): Promise<AlertFacts> {
  if (accounts === null) {
    const read = await cells.present((cell) => ask(cell, null, open));
    const facts = read.map(({ cell, result }) => withIdsOf(cells.all.indexOf(cell), result));
    const away = cells.all.filter((cell) => read.every((each) => each.cell !== cell)).map(({ name }) => name);
    const gateway = mergeGateway(facts.flatMap((each) => (each.gateway === null ? [] : [each.gateway])));
    return mergeFacts(facts, gateway && { ...gateway, away_cells: away });
  }
  const by_cell = await byHome(cells, accounts, (id) => id);
  if (by_cell.size === 0) return await ask(cells.directory, [], []);
  return mergeFacts(await Promise.all(Array.from(by_cell, ([cell, own]) => ask(cell, own, open))), null);
}

function withIdsOf(cell: number, facts: AlertFacts): AlertFacts {
  const { gateway } = facts;
  if (gateway === null) return facts;
  const incidents = gateway.incidents.map((incident) => incidentIn(cell, incident));
  return { ...facts, gateway: { ...gateway, incidents } };
}

function mergeFacts(parts: readonly AlertFacts[], gateway: GatewayFacts | null): AlertFacts {
  const budgets = parts.flatMap((part) => part.budgets);
  const holders = ["account", "project", "key"] as const;
  return {
    now_ms: parts[0]?.now_ms ?? 0,
    balances: parts
      .flatMap((part) => part.balances)
      .toSorted((a, b) => (a.balance_micro < b.balance_micro ? -1 : a.balance_micro > b.balance_micro ? 1 : 0)),
    budgets: holders.flatMap((holder) => budgets.filter((each) => each.holder === holder)),
    keys: parts.flatMap((part) => part.keys),
    gateway,
  };
}

function mergeGateway(parts: readonly GatewayFacts[]): GatewayFacts | null {
  const [directory] = parts;
  if (directory === undefined) return null;
  const vendors = sumByName(
    parts.flatMap((part) => part.vendors),
    ({ vendor }) => vendor,
    (sum, each) => ({ vendor: sum.vendor, calls: sum.calls + each.calls, failures: sum.failures + each.failures }),
  );
  return {
    vendors: [...vendors.values()],
    paces: parts.flatMap(({ paces }) => paces),
    circuits: directory.circuits,
    incidents: parts.flatMap(({ incidents }) => incidents),
    // The directory's audit has the findings of all (docs/adr/0085).
    audit: parts.map(({ audit }) => audit).find((audit) => audit !== null && hasProblems(audit)) ?? directory.audit,
    loss_micro: parts.reduce((sum, part) => sum + part.loss_micro, 0n),
  };
}

/** Whether the result of an audit, as its chore keeps it, has problems. */
function hasProblems(audit: string): boolean {
  return (JSON.parse(audit) as { readonly problems?: number }).problems !== 0;
}
