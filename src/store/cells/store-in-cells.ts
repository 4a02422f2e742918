import type {
  AuditFinding,
  AuditOptions,
  AuditReport,
  RebuildAsked,
  RebuildPart,
} from "../../core/ledger/books-audit.ts";
import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { AuditLogQuery, AuditNote, AuditRecord } from "../../core/people/audit.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import type { Store } from "../../core/store/ports.ts";
import type { StoreCondition } from "../../core/store/store-events.ts";
import type { StoreState } from "../../core/store/store-state.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { auditPlaces, cellAway, mergeAudits, type PlaceFindings } from "../audit/audit-places.ts";
import { ACCOUNT_ROUTES } from "./account-routes.ts";
import type { Cell, Cells } from "./cells.ts";
import { deliveriesInCells } from "./deliveries-in-cells.ts";
import { afterMoved, ledgerInCells } from "./ledger-in-cells.ts";
import { mergeEntries } from "./merge-lists.ts";
import { RESPONSE_ROUTES } from "./responses-in-cells.ts";
import { inCells } from "./routes.ts";
import { upkeepInCells } from "./upkeep-in-cells.ts";
import { usersInCells } from "./users-in-cells.ts";

/**
 * Several sets of books as one store (docs/adr/0085). The directory has people and what the gateway shares; each account's own is asked of its cell; lists
 * and sums of all accounts are asked of every cell side by side, and become one.
 */
export function storeInCells(cells: Cells): Store {
  const { store: directory } = cells.directory;
  return {
    kind: directory.kind,
    ledger: ledgerInCells(cells),
    lanes: {
      stores: cells.all.map((cell) => ({
        commit: async (ops) => await afterMoved(cells, cell, ops, await cell.store.ledger.commit(ops)),
      })),
      laneOf: (account_id) => cells.all.indexOf(cells.remembered(account_id)),
    },
    cellOf: async (account_id) => (await cells.homeOf(account_id)).name,
    accounts: inCells(cells, ACCOUNT_ROUTES, ({ store }) => store.accounts),
    audited: (note: AuditNote) => inCells(cells, ACCOUNT_ROUTES, ({ store }) => store.audited(note)),
    users: { ...usersInCells(cells), listAuditEntries: (query) => listAuditEntries(cells, query) },
    deliveries: deliveriesInCells(cells),
    vendor_credentials: directory.vendor_credentials,
    configuration: directory.configuration,
    responses: inCells(cells, RESPONSE_ROUTES, ({ store }) => store.responses),
    upkeep: upkeepInCells(cells),
    description: [directory.description, ...cells.all.slice(1).map(({ name }) => `cell ${name}`)].join(", "),
    ping: () => ping(cells),
    now_ms: () => directory.now_ms(),
    conditions: () => cells.all.flatMap(conditionsOf),
    state: () => stateOf(cells),
    async secretFingerprint(fingerprint) {
      cells.fingerprint = fingerprint;
      const known = await cells.present(({ store }) => store.secretFingerprint(fingerprint));
      return known.find(({ result }) => result !== fingerprint)?.result ?? fingerprint;
    },
    audit: (options = {}) => audit(cells, options),
    rebuildUsage: (asked) => rebuildUsage(cells, asked),
    async close() {
      await Promise.allSettled(cells.all.map(async ({ store }) => await store.close()));
    },
  };
}

/** Resolves when the directory takes changes, and finds out which cells do not. */
async function ping(cells: Cells): Promise<void> {
  await Promise.all([cells.directory.store.ping(), ...cells.all.map((cell) => cell.look?.())]);
}

/** A cell that is away is a condition of the whole; the others' conditions name their cell. */
function conditionsOf(cell: Cell): StoreCondition[] {
  const { name, problem = null } = cell;
  if (name === DIRECTORY) return [...cell.store.conditions()];
  if (problem !== null)
    return [{ code: "cell_away", text: `The cell ${name} is away, and its accounts get 503 (${problem}).` }];
  return cell.store.conditions().map(({ code, text }) => ({ code, text: `Cell ${name}: ${text}` }));
}

/** The sums over the cells that answer; a cell that is away is told by its condition. */
async function stateOf(cells: Cells): Promise<StoreState> {
  const [own, ...others] = await Promise.allSettled(cells.all.map(async ({ store }) => await store.state()));
  if (own?.status !== "fulfilled") throw own?.reason;
  const parts = [own.value, ...others.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))];
  const holds = parts.map(({ open_holds }) => open_holds);
  const oldest = holds.flatMap(({ oldest_ms }) => (oldest_ms === null ? [] : [oldest_ms]));
  return {
    open_holds: {
      count: holds.reduce((sum, { count }) => sum + count, 0),
      sum_micro: holds.reduce<Micro>((sum, { sum_micro }) => add(sum, sum_micro), ZERO),
      oldest_ms: oldest.length === 0 ? null : Math.min(...oldest),
    },
    held_micro: parts.reduce<Micro>((sum, { held_micro }) => add(sum, held_micro), ZERO),
    open_incidents: parts.reduce((sum, { open_incidents }) => sum + open_incidents, 0),
    nodes: own.value.nodes,
  };
}

/** An entry of another cell belongs on the page where its time is earlier than that of the entry before, or the same and its cell comes later. */
async function listAuditEntries(cells: Cells, query: AuditLogQuery): Promise<AuditRecord[]> {
  const { before_id } = query;
  const ask = (cell: Cell, asked: AuditLogQuery) => cell.store.users.listAuditEntries(asked);
  if (before_id === undefined) return mergeEntries(await cells.each((cell) => ask(cell, query)), query.limit);
  const begun = await cells.first((cell) => cell.store.accounts.createdAt("audit_log", before_id));
  if (begun === null) return [];
  const place = cells.all.indexOf(begun.cell);
  const parts = cells.all.map((cell, at) => {
    const before_ms = at > place ? begun.found + 1 : begun.found;
    return ask(cell, cell === begun.cell ? query : { ...query, before_ms });
  });
  return mergeEntries(await Promise.all(parts), query.limit);
}

async function audit(cells: Cells, options: AuditOptions): Promise<AuditReport> {
  const { account_id } = options;
  if (account_id !== undefined) return await (await cells.homeOf(account_id)).store.audit(options);
  const parts: AuditReport[] = [];
  const away: AuditFinding[] = [];
  for (const cell of cells.all) {
    try {
      parts.push(await cell.store.audit(options));
    } catch (thrown) {
      if (cell === cells.directory || !(thrown instanceof StoreUnavailable)) throw thrown;
      away.push(cellAway(cell));
    }
  }
  return mergeAudits(parts, away.length > 0 ? { findings: away, more: 0 } : await auditAllPlaces(cells));
}

async function auditAllPlaces(cells: Cells): Promise<PlaceFindings> {
  const others = cells.all.filter((cell) => cell !== cells.directory);
  const places = others.map(({ name, store }) => ({ name, places: store.accounts }));
  return await auditPlaces(cells.directory.store.accounts, places);
}

/** Cell after cell: the place where it goes on names the cell. */
async function rebuildUsage(cells: Cells, asked: RebuildAsked): Promise<RebuildPart> {
  if (asked.account_id !== null) return await (await cells.homeOf(asked.account_id)).store.rebuildUsage(asked);
  const [name = "", after = ""] = asked.after?.split(" ") ?? [];
  const at = Math.max(
    0,
    cells.all.findIndex((cell) => cell.name === name),
  );
  const cell = cells.all[at] ?? cells.directory;
  const part = await cell.store.rebuildUsage({ ...asked, after: after === "" ? null : after });
  const next = part.next === null ? cells.all[at + 1]?.name : `${cell.name} ${part.next}`;
  return { ...part, next: next ?? null };
}
