import type { AlertFacts, GatewayFacts } from "../../core/deliveries/alerts.ts";
import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import type { Cells } from "./cells.ts";
import { incidentIn } from "./incident-ids.ts";
import { sumByName } from "./merge-lists.ts";
import { usageInCells } from "./usage-in-cells.ts";

/** Alerts, targets and what is told of them belong to the directory; what alerts are found from lies where the accounts live. */
export function deliveriesInCells(cells: Cells): DeliveryStore {
  const { deliveries } = cells.directory.store;
  return {
    ...deliveries,
    ...usageInCells(cells),
    async readAlertFacts(accounts, open) {
      if (accounts === null) {
        const found = await cells.present(({ store }) => store.deliveries.readAlertFacts(null, open));
        const facts = found.map(({ cell, result }) => withIdsOf(cells.all.indexOf(cell), result));
        const away = cells.all.filter((cell) => found.every((each) => each.cell !== cell)).map(({ name }) => name);
        const gateway = mergeGateway(facts.flatMap((each) => (each.gateway === null ? [] : [each.gateway])));
        return mergeFacts(facts, gateway && { ...gateway, away_cells: away });
      }
      const homes = await Promise.all(accounts.map((id) => cells.homeOf(id)));
      const by_cell = Map.groupBy(accounts, (_, at) => homes[at] ?? cells.directory);
      const facts = Array.from(by_cell, ([{ store }, own]) => store.deliveries.readAlertFacts(own, open));
      if (facts.length === 0) return await deliveries.readAlertFacts([], []);
      return mergeFacts(await Promise.all(facts), null);
    },
  };
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
