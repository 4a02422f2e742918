import { type Clock, systemClock } from "../../core/clock.ts";
import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import { type AccountStore, type Store, StoreConflict } from "../../core/store/ports.ts";
import type { StoreEvent } from "../../core/store/store-events.ts";
import type { StoreTrouble } from "../../core/store-errors.ts";
import { auditBooks } from "../audit/audit-books.ts";
import { type AuditMethod, auditSlices } from "../audit/audit-slices.ts";
import { AUDIT_WORKS } from "../audit/audit-works.ts";
import { rebuildBooks } from "../audit/rebuild-books.ts";
import { isRebuildWrite, rebuildMethods } from "../audit/rebuild-calls.ts";
import { REBUILD_WORKS } from "../audit/rebuild-usage.ts";
import { recordedWork } from "../audit-log/account-changes.ts";
import { SharedTexts } from "../batch/shared-texts.ts";
import { accountStore, isReport, isSnapshot, isWrite } from "../calls/account-calls.ts";
import { ACCOUNT_WORKS } from "../calls/account-works.ts";
import { deliveryStore, isDeliveryRead } from "../deliveries/delivery-calls.ts";
import { DELIVERY_WORKS } from "../deliveries/delivery-works.ts";
import { NodeWatch } from "../recovery/node-watch.ts";
import { markAlive, proveAdmission } from "../recovery/recover.ts";
import { isResponseWrite, responseStore } from "../responses/response-calls.ts";
import { RESPONSE_WORKS } from "../responses/response-works.ts";
import { now_ms } from "../sql/clock.ts";
import { readMark, takeCell } from "../sql/marks.ts";
import { type RunMethod, workOf } from "../sql/port.ts";
import { makeMonths } from "../upkeep/make-months.ts";
import { changesPartitions, isUpkeepRead, upkeepStore } from "../upkeep/upkeep-calls.ts";
import { UPKEEP_WORKS } from "../upkeep/upkeep-works.ts";
import { findsOrMakes, isUserWrite, userStore } from "../users/user-calls.ts";
import { USER_WORKS } from "../users/user-works.ts";
import { administrationPorts, isAdministrationWrite } from "../vendors/administration-calls.ts";
import { ADMINISTRATION_WORKS } from "../vendors/administration-works.ts";
import { DEADLINE_MS } from "./deadline.ts";
import { EarlyRelease } from "./early-release.ts";
import { ledgerStore } from "./ledger-store.ts";
import { migrateBeside } from "./migrate-beside.ts";
import { OwnBeat } from "./own-beat.ts";
import { changePartitions } from "./own-connection.ts";
import {
  BY_KEY,
  type Isolation,
  PLANNED_ONCE,
  PostgresDatabase,
  type PostgresOptions,
  REPORTING,
} from "./postgres-database.ts";
import { RecentCommits } from "./recent-commits.ts";
import { ServerClock } from "./server-clock.ts";
import { inspectServer, requireWritable, type ServerState, ServerWatch } from "./server-watch.ts";
import { messageOf } from "./store-trouble.ts";
import { requireMoveFinished } from "./unfinished-move.ts";

/** Connections for requests and reports, beside the connection that commits the ledger. */
const POOL = 4;
const REPORTS = 2;
/** A report reads much, and a person waits for it. */
const REPORT_DEADLINE_MS = 30_000;
/** An audit reads everything. */
const AUDIT_DEADLINE_MS = 3_600_000;

export interface PostgresStoreOptions {
  readonly url: string;
  readonly node_id: string;
  readonly clock?: Pick<Clock, "monotonic_ms"> & Partial<Clock>;
  /** The isolation of writing transactions: "read committed" unless it is said. */
  readonly isolation?: Isolation;
  readonly onEvent?: (event: StoreEvent) => void;
  /** The name of the cell that the database is; absent: it is the only one. */
  readonly as_cell?: string;
}

/**
 * Opens a PostgreSQL database, which any number of gateways may share. Each marks itself alive; holds of one that died
 * are ended by whichever other notices it first, in its sweep.
 */
export async function openPostgres(options: PostgresStoreOptions): Promise<Store> {
  const { url, node_id, clock = systemClock, isolation = "read committed", onEvent = () => {} } = options;
  const description = describe(url);
  const own_clock = { ...systemClock, ...(clock.now_ms && { now_ms: clock.now_ms }) };
  const time = new ServerClock(own_clock, (condition) => onEvent({ kind: "condition", condition }));
  const server = await prepare({ time, url, description, node_id, onEvent, as_cell: options.as_cell ?? null });
  const recent = new RecentCommits();
  const watched = new ServerWatch(server, recent, onEvent);
  const onTrouble = (trouble: StoreTrouble): void => onEvent({ kind: "trouble", trouble });
  const settings: Record<string, string> = server.synchronous_commit === "off" ? { synchronous_commit: "on" } : {};
  const shared = { url, isolation, settings: { ...settings, ...BY_KEY }, onTrouble };
  const release = new EarlyRelease();
  const texts = new SharedTexts();
  const books = openBooksConnection({
    ...{ url, isolation, release, onTrouble },
    // Citus plans a statement for its parameters, and makes no other plan.
    plans: server.is_citus ? {} : PLANNED_ONCE,
    async onSession(session) {
      // After a crash or a failover the server may lack texts that this node has read and that were not flushed yet.
      texts.forget();
      await watched.greet(session);
      await release.greet(session);
    },
  });
  const pool = new PostgresDatabase({ ...shared, connections: POOL, deadline_ms: DEADLINE_MS });
  const reading = { ...shared, settings: { ...settings, ...REPORTING } };
  const reports = new PostgresDatabase({ ...reading, connections: REPORTS, deadline_ms: REPORT_DEADLINE_MS });
  const audits = new PostgresDatabase({ ...reading, connections: 1, deadline_ms: AUDIT_DEADLINE_MS });
  const ledger = ledgerStore({
    node_id,
    measureClock: () => time.measure(() => pool.read(now_ms)),
    ...{ books, texts },
    pool,
    recent,
    release,
    watch: new NodeWatch(clock),
    beat: new OwnBeat(clock),
  });
  const accounts = (note?: AuditNote): AccountStore => accountsOn({ pool, reports }, note);
  return {
    kind: "postgres",
    ledger,
    accounts: accounts(),
    users: usersOn(pool),
    deliveries: deliveryStore((method, args) => {
      const make = () => workOf(DELIVERY_WORKS, method, args);
      return isDeliveryRead(method) ? pool.read(make) : pool.write(make);
    }),
    audited: accounts,
    ...administeredOn(pool),
    responses: responseStore((method, args) => {
      const make = () => workOf(RESPONSE_WORKS, method, args);
      return isResponseWrite(method) ? pool.write(make) : pool.read(make);
    }),
    upkeep: upkeepStore((method, args) => {
      const make = () => workOf(UPKEEP_WORKS, method, args);
      if (changesPartitions(method)) return changePartitions(url, make);
      return isUpkeepRead(method) ? reports.read(make) : reports.write(make);
    }),
    description,
    // A write: a replica, and a server whose disk is full, still answer questions.
    ping: () => pool.write(() => proveAdmission(node_id)),
    audit: (options = {}) => auditBooks(auditSlices(slicesOn(audits)), options, NO_OUTSIDE_CHECK),
    rebuildUsage(asked) {
      const methods = rebuildMethods((method, args) => {
        const make = () => workOf(REBUILD_WORKS, method, args);
        return isRebuildWrite(method) ? reports.write(make) : reports.read(make);
      });
      return rebuildBooks(methods, auditSlices(slicesOn(reports)), asked);
    },
    conditions: () => [...watched.conditions, ...time.conditions],
    now_ms: () => time.now_ms(),
    async close() {
      await Promise.all([books.close(), pool.close(), reports.close(), audits.close()]);
    },
  };
}

function administeredOn(pool: PostgresDatabase): ReturnType<typeof administrationPorts> {
  return administrationPorts((method, args) => {
    const make = () => workOf(ADMINISTRATION_WORKS, method, args);
    return isAdministrationWrite(method) ? pool.write(make) : pool.read(make);
  });
}

function accountsOn(
  { pool, reports }: Readonly<Record<"pool" | "reports", PostgresDatabase>>,
  note: AuditNote | undefined,
): AccountStore {
  return accountStore((method, args) => {
    const recorded = note !== undefined && isWrite(method);
    const make = () => (recorded ? recordedWork(method, args, note) : workOf(ACCOUNT_WORKS, method, args));
    if (isSnapshot(method)) return reports.snapshot(make);
    if (isWrite(method)) return pool.write(make);
    return (isReport(method) ? reports : pool).read(make);
  });
}

function usersOn(pool: PostgresDatabase): Store["users"] {
  return userStore((method, args) => {
    const make = () => workOf(USER_WORKS, method, args);
    if (!isUserWrite(method)) return pool.read(make);
    return findsOrMakes(method) ? onceMore(() => pool.write(make)) : pool.write(make);
  });
}

/** Runs a write again that met what another has made at the same time. */
function onceMore<Result>(write: () => Promise<Result>): Promise<Result> {
  return write().catch((thrown: unknown) => {
    if (thrown instanceof StoreConflict) return write();
    throw thrown;
  });
}

/**
 * A connection of its own for the ledger's commits, so that they never wait for other work to return a connection. `synchronous_commit` is
 * not among its settings: `onSession` first reads the server's own value, and then sets it where it must.
 */
function openBooksConnection({
  plans,
  ...shared
}: Pick<PostgresOptions, "url" | "isolation" | "release" | "onTrouble" | "onSession"> & {
  readonly plans: Readonly<Record<string, string>>;
}): PostgresDatabase {
  const settings = { ...BY_KEY, ...plans };
  return new PostgresDatabase({ ...shared, connections: 1, deadline_ms: DEADLINE_MS, settings, in_messages: true });
}

/** Runs each slice of an audit in a transaction of its own with one snapshot. */
export function slicesOn(database: PostgresDatabase): RunMethod<AuditMethod> {
  return (method, args) => database.snapshot(() => workOf(AUDIT_WORKS, method, args));
}

/** A PostgreSQL database has no anchor beside it that could differ from its tables. */
export const NO_OUTSIDE_CHECK = async (): Promise<readonly AuditFinding[]> => [];

interface Preparing extends Pick<PostgresStoreOptions, "url" | "node_id"> {
  readonly description: string;
  readonly time: ServerClock;
  readonly onEvent: (event: StoreEvent) => void;
  readonly as_cell: string | null;
}

/**
 * Brings the schema up to date and marks the node as alive. Resolves with the server's description of itself. Throws with a sentence for the
 * operator.
 */
async function prepare(given: Preparing): Promise<ServerState> {
  const { url, description, node_id, time, onEvent } = given;
  const database = new PostgresDatabase({ url, connections: 1, deadline_ms: REPORT_DEADLINE_MS });
  try {
    const server = await database.read(inspectServer);
    requireWritable(server);
    await time.measure(() => database.read(now_ms));
    await migrateBeside({ url, onMigration: (migration) => onEvent({ kind: "migration", ...migration }) });
    await requireOwnCell(database, given.as_cell);
    await database.write(() => markAlive(node_id));
    await requireMoveFinished(database, node_id);
    // Where a lock prevents this, requests of a missing month go to the default partition until the upkeep makes the month's.
    await changePartitions(url, () => makeMonths());
    return server;
  } catch (thrown) {
    throw new Error(`The database ${description} cannot be used: ${messageOf(thrown)}`, { cause: thrown });
  } finally {
    await database.close();
  }
}

/** The database's address, without the user's name and password. */
export function describe(url: string): string {
  if (!URL.canParse(url)) return "postgres";
  const { host, pathname } = new URL(url);
  return `postgres ${host}${pathname}`;
}

/** How many bits of a digest fit a whole number of every part of the gateway. */
const DIGEST_BITS = 48n;

/**
 * Makes sure that the database is the cell that it is opened as, which one that was none before becomes. Null: it is opened as the only database, which a
 * cell is not. Throws with a sentence for the operator: another cell's books in this place would be other accounts, and a cell by itself lacks those that
 * live elsewhere.
 */
async function requireOwnCell(database: PostgresDatabase, as_cell: string | null): Promise<void> {
  if (as_cell === null) {
    if ((await database.read(() => readMark("cell"))) === null) return;
    throw new Error("it is a cell of a gateway with several: start with CAMINO_CELLS as before");
  }
  const digest = digestOf(as_cell);
  if ((await database.write(() => takeCell(digest))) === digest) return;
  const wanted = as_cell === DIRECTORY ? "not the directory" : `not the cell ${as_cell}`;
  throw new Error(`it is another cell, and ${wanted}: compare the addresses in CAMINO_CELLS and CAMINO_DATABASE_URL`);
}

function digestOf(name: string): number {
  return Number(BigInt.asUintN(Number(DIGEST_BITS), BigInt(Bun.hash.xxHash64(name))));
}
