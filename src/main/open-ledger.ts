import { startSweeping } from "../chores/sweep.ts";
import type { CellSettings } from "../core/catalog/cell-settings.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Store } from "../core/store/ports.ts";
import type { StoreEvent } from "../core/store/store-events.ts";
import { ledgerInLanes } from "../ledger/lanes.ts";
import { createLedger, type Ledger, type LedgerOptions } from "../ledger/ledger.ts";
import type { Log, Logs } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { OpenRequests } from "../pipeline/call/open-requests.ts";
import { openStore } from "../store/open-store.ts";
import type { Meanwhile } from "./listen-meanwhile.ts";
import { type OwnSecret, requireSecret } from "./settings/own-secret.ts";
import { storeNotices } from "./store-notices.ts";

/** The database and what keeps it: the ledger's queue, and the sweep, which knows the requests that run. */
export interface OpenedLedger {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly open_requests: OpenRequests;
  /** The database's time: what ends or begins at a time does so by this clock on every node (docs/rulings.md 207). */
  readonly clock: Clock;
}

interface OpenLedgerOptions extends OwnSecret {
  readonly url: string;
  /** The socket of the process that keeps the embedded database's ledger; null where this process opens the database itself. */
  readonly ledger_socket: string | null;
  readonly cells: CellSettings | null;
  readonly node_id: string;
  /** Answers for the gateway while its database is migrated. */
  readonly meanwhile: Pick<Meanwhile, "begin">;
  readonly logs: Logs;
  readonly metrics: Metrics;
}

/**
 * Opens the books. They are closed in the opposite order: what is asked for is booked while the node still says that it is
 * alive, and its mark goes last.
 */
export async function openLedger(given: OpenLedgerOptions, opened: AsyncDisposableStack): Promise<OpenedLedger> {
  const { url, ledger_socket, cells, node_id, logs, metrics } = given;
  const { log } = logs;
  const store = await openStore({
    url,
    ledger_socket,
    cells,
    node_id,
    notify: storeNotices(logs, metrics, process.exit),
    onEvent(event) {
      noteStoreEvent({ log, metrics }, event);
      // An empty database has its tables at once.
      if (event.kind === "migration" && (event.from > 0 || event.waits)) given.meanwhile.begin();
    },
  });
  opened.defer(() => store.close());
  opened.defer(() => store.ledger.leave(node_id));
  await requireSecret(store, given);
  const open_requests = new OpenRequests();
  const onLate: LedgerOptions["onLate"] = (request_id, end) => {
    metrics.late_settlements.add(1, end);
    log.warn({ request_id, end }, "a request ended after a recovery had ended its hold: the difference was booked");
  };
  const ledger = ledgerOf(store, { log, onLate });
  const sweeping = startSweeping({ store: store.ledger, node_id, log, known: { ledger, open_requests } });
  opened.defer(() => sweeping.stop());
  opened.defer(() => ledger.drain());
  metrics.gauge("camino_ledger_pending", "Ledger operations that wait for a commit.", () => ledger.pending);
  metrics.gauge(
    "camino_database_conditions",
    "Settings of the database that put acknowledged commits at risk, and a clock of this machine that differs from its.",
    () => store.conditions().length,
  );
  return { store, ledger, open_requests, clock: { ...systemClock, now_ms: () => store.now_ms() } };
}

/** Reports events of the database to the operator. Troubles are only counted here: the caller that met one logs it. */
function noteStoreEvent({ metrics, log }: { metrics: Metrics; log: Log }, event: StoreEvent): void {
  switch (event.kind) {
    case "trouble":
      metrics.database_troubles.add(1, event.trouble);
      return;
    case "condition":
      log.warn({ condition: event.condition.code }, event.condition.text);
      return;
    case "cell": {
      const { cell, problem } = event;
      if (problem === null) log.info({ cell }, "the cell is back");
      else log.warn({ cell, problem }, "the cell is away: its accounts get 503");
      return;
    }
    case "migration": {
      const { from, to, waits } = event;
      if (waits) log.warn({ from, to }, "the migration waits for others who use the tables: it is tried again");
      else log.info({ from, to }, "the database's tables are brought up to date");
      return;
    }
    case "failover": {
      const { mended, lost, may_be_more, problem } = event;
      metrics.failovers.add(mended.length, "mended");
      metrics.failovers.add(lost.length, "lost");
      if (mended.length + lost.length === 0) {
        log.warn("another server has become the primary; it has all that this node was acknowledged");
      } else {
        log.error({ mended, lost, may_be_more, problem }, "a failover lost acknowledged commits: run an audit");
      }
    }
  }
}

/** The ledger's queue, or one for each cell. */
function ledgerOf({ ledger, lanes }: Store, options: Omit<LedgerOptions, "store">): Ledger {
  if (lanes === undefined) return createLedger({ ...options, store: ledger });
  const queues = lanes.stores.map((store) => createLedger({ ...options, store }));
  return ledgerInLanes(queues, (account_id) => lanes.laneOf(account_id));
}
