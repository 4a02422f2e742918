import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { AuditNote } from "../../core/audit.ts";
import type { StoreNotice } from "../../core/incidents.ts";
import type { LedgerOp } from "../../core/ledger.ts";
import type { AuditOptions, AuditReport } from "../../core/books-audit.ts";
import type { AccountStore, LedgerStore, Recovery, Store } from "../../core/ports.ts";
import { accountStore, isWrite, readsBooks } from "../accounts/account-calls.ts";
import { auditBooks } from "../audit/audit-books.ts";
import { type AuditMethod, auditSlices } from "../audit/audit-slices.ts";
import { rebuildBooks } from "../audit/rebuild-books.ts";
import { isRebuildWrite, type RebuildMethod, rebuildMethods } from "../audit/rebuild-usage.ts";
import { isRecorded } from "../audit-log/account-changes.ts";
import { type OwnHold, unownedOf } from "../recover.ts";
import { isResponseWrite, responseStore } from "../responses/response-calls.ts";
import { upkeepStore } from "../upkeep/upkeep-calls.ts";
import { isUserWrite, userStore } from "../users/user-calls.ts";
import { administration, isAdministrationWrite } from "../vendors/administration-calls.ts";
import { checkBesideDatabase } from "./check-beside-database.ts";
import type { Task } from "./messages.ts";
import { BatchPacker } from "./pack-op.ts";
import { type PackedResults, unpackResults } from "./pack-result.ts";
import { WorkerClient } from "./worker-client.ts";

/** How long the database may take to show that it can be written. */
const PING_MS = 5000;

/**
 * Opens the embedded database: one file, owned by this process. Holds that an earlier process left open are ended before
 * it resolves. Rejects when another process owns the file.
 */
export async function openSqlite(path: string, notify: (notice: StoreNotice) => void = () => {}): Promise<Store> {
  await mkdir(dirname(path), { recursive: true });
  const writer = new WorkerClient(notify);
  try {
    await writer.ask({ kind: "open", path, role: "writer" });
  } catch (thrown) {
    await writer.close();
    throw thrown;
  }

  // Started when first needed: many commands only write.
  let reader: WorkerClient | null = null;
  const readerOf = (): WorkerClient => {
    if (reader === null) {
      reader = new WorkerClient(notify);
      // Tasks are answered in order, so those that follow find it open; if it failed, they are told.
      reader.ask({ kind: "open", path, role: "reader" }).catch(() => {});
    }
    return reader;
  };

  // Whether what was committed is where readers see it; null when nobody has asked for that since.
  let folded: Promise<void> | null = null;
  const fold = (): Promise<void> => {
    folded ??= writer.ask<void>({ kind: "fold" }).catch((thrown) => {
      folded = null;
      throw thrown;
    });
    return folded;
  };
  /** Reads what the ledger writes. */
  const readBooks = async <Answer>(task: Task): Promise<Answer> => {
    await fold();
    return await readerOf().ask<Answer>(task);
  };

  const rebuild = (method: RebuildMethod, args: readonly unknown[]): Promise<unknown> =>
    (isRebuildWrite(method) ? writer : readerOf()).ask({ kind: "rebuild", method, args });
  const auditNow = (method: AuditMethod, args: readonly unknown[]) => readBooks({ kind: "audit", method, args });

  const packer = new BatchPacker();
  const ledger: LedgerStore = {
    async commit(ops: readonly LedgerOp[]) {
      const batch = packer.pack(ops);
      folded = null;
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
    // The file has one owner: nobody else watches over its nodes.
    leave: () => Promise.resolve(),
  };
  const { state, ...vendor_credentials } = administration((method, args) => {
    const task: Task = { kind: "administration", method, args };
    if (method === "state") return readBooks(task);
    return (isAdministrationWrite(method) ? writer : readerOf()).ask(task);
  });
  const accounts = (note?: AuditNote): AccountStore =>
    accountStore((method, args) => {
      const recorded = note !== undefined && isRecorded(method) ? { note } : {};
      const task: Task = { kind: "account", method, args, ...recorded };
      return isWrite(method) ? writer.ask(task) : readsBooks(method) ? readBooks(task) : readerOf().ask(task);
    });
  return {
    kind: "sqlite",
    ledger,
    accounts: accounts(),
    users: userStore((method, args) => (isUserWrite(method) ? writer : readerOf()).ask({ kind: "user", method, args })),
    audited: accounts,
    vendor_credentials,
    responses: responseStore((method, args) =>
      (isResponseWrite(method) ? writer : readerOf()).ask({ kind: "response", method, args }),
    ),
    upkeep: upkeepStore((method, args) => writer.ask({ kind: "upkeep", method, args })),
    state,
    description: `sqlite ${path}`,
    conditions: () => [],
    ping: () => within(PING_MS, writer.ask<void>({ kind: "ping" })),
    async audit(options = {}) {
      await fold();
      return await auditInThread(path, options);
    },
    rebuildUsage: (asked) => rebuildBooks(rebuildMethods(rebuild), auditSlices(auditNow), asked),
    async close() {
      await reader?.close();
      await writer.close();
    },
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
