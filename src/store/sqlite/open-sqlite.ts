import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../../core/clock.ts";
import type { AuditOptions, AuditReport } from "../../core/ledger/books-audit.ts";
import type { LedgerOp } from "../../core/ledger/ledger.ts";
import type { StoreNotice } from "../../core/operations/incidents.ts";
import type { AuditNote } from "../../core/people/audit.ts";
import type { AccountStore, LedgerStore, Recovery, Store } from "../../core/store/ports.ts";
import { auditBooks } from "../audit/audit-books.ts";
import { type AuditMethod, auditSlices } from "../audit/audit-slices.ts";
import { rebuildBooks } from "../audit/rebuild-books.ts";
import { isRebuildWrite, type RebuildMethod, rebuildMethods } from "../audit/rebuild-calls.ts";
import { accountStore, isWrite, readsBooks } from "../calls/account-calls.ts";
import { deliveryStore, isDeliveryRead } from "../deliveries/delivery-calls.ts";
import { type OwnHold, unownedOf } from "../recovery/unowned-holds.ts";
import { isResponseWrite, responseStore } from "../responses/response-calls.ts";
import { upkeepStore } from "../upkeep/upkeep-calls.ts";
import { isUserWrite, userStore } from "../users/user-calls.ts";
import { administrationPorts, isAdministrationWrite } from "../vendors/administration-calls.ts";
import { checkBesideDatabase } from "./check-beside-database.ts";
import type { DatabaseClient } from "./database-client.ts";
import { KeyChanges } from "./key-changes.ts";
import type { Task } from "./messages.ts";
import { BatchPacker } from "./pack-op.ts";
import { type PackedResults, unpackResults } from "./pack-result.ts";
import { ReaderOnDemand } from "./reader-on-demand.ts";
import { RemoteWriter } from "./remote-writer.ts";
import { WorkerClient } from "./worker-client.ts";

/** SQLite's words for a file that it cannot use, with what they mean to whoever starts a gateway. */
const MEANINGS: readonly (readonly [words: RegExp, meaning: string])[] = [
  [/disk is full/, "its disk is full. Make room, and start again"],
  [/readonly database/, "this user may not write it, or its disk is read-only"],
  [/unable to open database file/, "this user may not open it, or it is a folder"],
];

/** The error of a start whose database cannot be opened, with the file's name and what to do; any other error as it is. */
function cannotOpen(path: string, thrown: unknown): unknown {
  const said = thrown instanceof Error ? thrown.message : "";
  const meaning = MEANINGS.find(([words]) => words.test(said))?.[1];
  if (meaning === undefined) return thrown;
  return new Error(`The database ${path} cannot be used: ${meaning}.`, { cause: thrown });
}

/** How long the database may take to show that it can be written. */
const PING_MS = 5000;

/** The way to the process that owns the database, and the node that this one is. */
interface Through {
  readonly ledger_socket: string;
  readonly node_id: string;
}

/**
 * Opens the embedded database: one file, owned by this process. Holds that an earlier process left open are ended before
 * it resolves. Rejects when another process owns the file. `through`: the file is owned by another process, through which everything
 * is written; this one reads.
 */
export async function openSqlite(
  path: string,
  notify: (notice: StoreNotice) => void = () => {},
  through: Through | null = null,
): Promise<Store> {
  const writer =
    through === null ? await openOwned(path, notify) : await RemoteWriter.open(through.ledger_socket, through.node_id);
  return storeOn(writer, path, notify);
}

/**
 * Takes a database file for this process, and starts its one writer. `living`: workers that live and have holds in it, which are
 * theirs to end.
 */
export async function openOwned(
  path: string,
  notify: (notice: StoreNotice) => void,
  living: readonly string[] = [],
): Promise<WorkerClient> {
  await mkdir(dirname(path), { recursive: true });
  const writer = new WorkerClient(notify);
  try {
    await writer.ask({ kind: "open", path, role: "writer", living });
    return writer;
  } catch (thrown) {
    await writer.close();
    throw cannotOpen(path, thrown);
  }
}

function storeOn(writer: DatabaseClient, path: string, notify: (notice: StoreNotice) => void): Store {
  const reader = new ReaderOnDemand(() => {
    const thread = new WorkerClient(notify);
    // Tasks are answered in order, so later tasks find the database open, or get the error if opening failed.
    thread.ask({ kind: "open", path, role: "reader" }).catch(() => {});
    return thread;
  });

  // Resolves when commits are where readers see them; null when no reader has asked since the last commit.
  let folded: Promise<void> | null = null;
  const fold = (): Promise<void> => {
    // Commits of other processes are not known here.
    if (writer.is_shared) return writer.ask<void>({ kind: "fold" });
    folded ??= writer.ask<void>({ kind: "fold" }).catch((thrown) => {
      folded = null;
      throw thrown;
    });
    return folded;
  };
  /** Reads tables that the ledger writes, after waiting changes are written. */
  const readBooks = async <Answer>(task: Task): Promise<Answer> => {
    await fold();
    return await reader.ask<Answer>(task);
  };

  const rebuild = (method: RebuildMethod, args: readonly unknown[]): Promise<unknown> =>
    (isRebuildWrite(method) ? writer : reader).ask({ kind: "rebuild", method, args });
  const auditNow = (method: AuditMethod, args: readonly unknown[]) => readBooks({ kind: "audit", method, args });

  const key_changes = new KeyChanges();
  const ledger = ledgerOf(writer, () => {
    folded = null;
  });
  const administered = administrationPorts((method, args) => {
    const task: Task = { kind: "administration", method, args };
    if (method === "state") return readBooks(task);
    return (isAdministrationWrite(method) ? writer : reader).ask(task);
  });
  const accounts = (note?: AuditNote): AccountStore => {
    const asked = accountStore((method, args) => {
      const recorded = note !== undefined && isWrite(method) ? { note } : {};
      const task: Task = { kind: "account", method, args, ...recorded };
      if (isWrite(method)) return key_changes.during(writer.ask(task));
      return readsBooks(method) ? readBooks(task) : reader.ask(task);
    });
    // Changes by other processes are not known here.
    if (writer.is_shared) return asked;
    return { ...asked, changedKeys: (known) => key_changes.among(known, asked.changedKeys) };
  };
  return {
    kind: "sqlite",
    ledger,
    accounts: accounts(),
    users: userStore((method, args) => {
      const task: Task = { kind: "user", method, args };
      return isUserWrite(method) ? key_changes.during(writer.ask(task)) : reader.ask(task);
    }),
    deliveries: deliveryStore((method, args) =>
      (isDeliveryRead(method) ? reader : writer).ask({ kind: "delivery", method, args }),
    ),
    audited: accounts,
    ...administered,
    responses: responseStore((method, args) =>
      (isResponseWrite(method) ? writer : reader).ask({ kind: "response", method, args }),
    ),
    // Reads go to the writer as well: every few seconds, they would keep a reader's thread alive in an idle gateway.
    upkeep: upkeepStore((method, args) => writer.ask({ kind: "upkeep", method, args })),
    description: `sqlite ${path}`,
    conditions: () => [],
    now_ms: systemClock.now_ms,
    ping: () => within(PING_MS, writer.ask<void>({ kind: "ping" })),
    async audit(options = {}) {
      await fold();
      return await auditInThread(path, options);
    },
    rebuildUsage: (asked) => rebuildBooks(rebuildMethods(rebuild), auditSlices(auditNow), asked),
    async close() {
      await reader.close();
      await writer.close();
    },
  };
}

/** `changes` is called before each commit. */
function ledgerOf(writer: DatabaseClient, changes: () => void): LedgerStore {
  let packer = new BatchPacker();
  let packed_for = writer.connection;
  return {
    async commit(ops: readonly LedgerOp[]) {
      if (packed_for !== writer.connection) {
        packer = new BatchPacker();
        packed_for = writer.connection;
      }
      const batch = packer.pack(ops);
      changes();
      const results =
        "texts" in batch
          ? writer.commit<PackedResults>(JSON.stringify(batch))
          : writer.ask<PackedResults>({ kind: "commit", batch });
      return unpackResults(await results);
    },
    async sweep(node_id, localStateOf = () => "unknown") {
      const holds = await writer.ask<readonly OwnHold[]>({ kind: "sweep", node_id });
      const unowned = unownedOf(holds, localStateOf);
      return await writer.ask<Recovery>({ kind: "recover", unowned });
    },
    bury: (node_id) => writer.ask<Recovery>({ kind: "bury", node_id }),
    // The file has one owner: no other process watches over its nodes.
    leave: () => Promise.resolve(),
  };
}

/** In a thread of its own, which ends with the audit: reports of the console do not wait for it. */
async function auditInThread(path: string, options: AuditOptions): Promise<AuditReport> {
  const auditor = new WorkerClient(() => {});
  try {
    await auditor.ask({ kind: "open", path, role: "reader" });
    const slices = auditSlices((method, args) => auditor.ask({ kind: "audit", method, args }));
    return await auditBooks(slices, options, () => checkBesideDatabase(path));
  } finally {
    await auditor.close();
  }
}

/** Rejects when an answer takes longer. */
async function within<Answer>(limit_ms: number, answer: Promise<Answer>): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`the database did not answer for ${limit_ms} ms`)), limit_ms);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
