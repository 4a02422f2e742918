import type { AuditNote } from "../../core/audit.ts";
import type { AuditFinding } from "../../core/books-audit.ts";
import type { LedgerOp, LedgerResult } from "../../core/ledger.ts";
import type { AccountStore, LedgerStore, Recovery, Store } from "../../core/ports.ts";
import { ACCOUNT_WORKS, accountStore, isSnapshot, isWrite } from "../accounts/account-calls.ts";
import { auditBooks } from "../audit/audit-books.ts";
import { AUDIT_WORKS, type AuditMethod, auditSlices } from "../audit/audit-slices.ts";
import { rebuildBooks } from "../audit/rebuild-books.ts";
import { isRebuildWrite, REBUILD_WORKS, rebuildMethods } from "../audit/rebuild-usage.ts";
import { isRecorded, recordedWork } from "../audit-log/account-changes.ts";
import { commitBatch } from "../batch/commit-batch.ts";
import { toBookOp } from "../batch/to-book-op.ts";
import { markAlive, markGone, purge, type RecoveryStep, recoverLate, recoverOrphaned } from "../recover.ts";
import { isResponseWrite, RESPONSE_WORKS, responseStore } from "../responses/response-calls.ts";
import { migrate } from "../schema/migrate.ts";
import { sql } from "../sql/statement.ts";
import { type RunMethod, workOf } from "../sql/port.ts";
import { rows } from "../sql/work.ts";
import { isUserWrite, USER_WORKS, userStore } from "../users/user-calls.ts";
import { ADMINISTRATION_WORKS, administration, isAdministrationWrite } from "../vendors/administration-calls.ts";
import { type MakeWork, PostgresDatabase } from "./postgres-database.ts";

/** Connections beside the one that commits the ledger. */
const POOL = 4;
const alive = sql("SELECT 1");

/**
 * Opens a PostgreSQL database, which any number of gateways may share. Each marks itself alive; holds of one that died
 * are ended by whichever other notices it first, in its sweep.
 */
export async function openPostgres(url: string, node_id: string): Promise<Store> {
  const description = describe(url);
  // Commits of the ledger come one after the other and never wait for a report to give a connection back.
  const books = new PostgresDatabase({ url, connections: 1 });
  const pool = new PostgresDatabase({ url, connections: POOL });
  try {
    await books.write(() => migrate("postgres"));
    await books.write(() => markAlive(node_id));
  } catch (thrown) {
    await Promise.all([books.close(), pool.close()]);
    throw new Error(`The database ${description} cannot be used: ${reason(thrown)}`, { cause: thrown });
  }

  const ledger: LedgerStore = {
    commit(ops: readonly LedgerOp[]) {
      const booked = ops.map(toBookOp);
      return books.write(() => commitBatch("postgres", booked)) as Promise<LedgerResult[]>;
    },
    async sweep(alive_id) {
      await pool.write(() => markAlive(alive_id));
      await pool.write(purge);
      const orphaned = await repeat(pool, () => recoverOrphaned("postgres"));
      const late = await repeat(pool, () => recoverLate("postgres"));
      return { settled: orphaned.settled + late.settled, voided: orphaned.voided + late.voided };
    },
    leave: (gone_id) => pool.write(() => markGone(gone_id)),
  };
  const { state, ...vendor_credentials } = administration((method, args) => {
    const make = () => workOf(ADMINISTRATION_WORKS, method, args);
    return isAdministrationWrite(method) ? pool.write(make) : pool.read(make);
  });
  const accounts = (note?: AuditNote): AccountStore =>
    accountStore((method, args) => {
      const recorded = note !== undefined && isRecorded(method);
      const make = () => (recorded ? recordedWork(method, args, note) : workOf(ACCOUNT_WORKS, method, args));
      if (isSnapshot(method)) return pool.snapshot(make);
      return isWrite(method) ? pool.write(make) : pool.read(make);
    });
  return {
    kind: "postgres",
    ledger,
    accounts: accounts(),
    users: userStore((method, args) => {
      const make = () => workOf(USER_WORKS, method, args);
      return isUserWrite(method) ? pool.write(make) : pool.read(make);
    }),
    audited: accounts,
    vendor_credentials,
    responses: responseStore((method, args) => {
      const make = () => workOf(RESPONSE_WORKS, method, args);
      return isResponseWrite(method) ? pool.write(make) : pool.read(make);
    }),
    state,
    description,
    async ping() {
      await pool.read(() => rows(alive));
    },
    audit: (options = {}) => auditBooks(auditSlices(slicesOn(pool)), options, NOTHING_BESIDE),
    rebuildUsage(asked) {
      const methods = rebuildMethods((method, args) => {
        const make = () => workOf(REBUILD_WORKS, method, args);
        return isRebuildWrite(method) ? pool.write(make) : pool.read(make);
      });
      return rebuildBooks(methods, auditSlices(slicesOn(pool)), asked);
    },
    async close() {
      await Promise.all([books.close(), pool.close()]);
    },
  };
}

/** Each slice in a transaction of its own, that sees one moment. */
export function slicesOn(database: PostgresDatabase): RunMethod<AuditMethod> {
  return (method, args) => database.snapshot(() => workOf(AUDIT_WORKS, method, args));
}

/** All that a PostgreSQL database has is in its tables. */
export const NOTHING_BESIDE = async (): Promise<readonly AuditFinding[]> => [];

async function repeat(database: PostgresDatabase, step: MakeWork<RecoveryStep>): Promise<Recovery> {
  const total = { settled: 0, voided: 0 };
  for (let more = true; more; ) {
    const done = await database.write(step);
    total.settled += done.settled;
    total.voided += done.voided;
    more = done.more;
  }
  return total;
}

/** Where it is, without the user's name and password. */
export function describe(url: string): string {
  if (!URL.canParse(url)) return "postgres";
  const { host, pathname } = new URL(url);
  return `postgres ${host}${pathname}`;
}

function reason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
