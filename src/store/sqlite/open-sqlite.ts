import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { AuditNote } from "../../core/audit.ts";
import type { LedgerOp } from "../../core/ledger.ts";
import type { AccountStore, AuditReport, LedgerStore, Recovery, Store } from "../../core/ports.ts";
import { accountStore, isWrite, readsBooks } from "../accounts/account-calls.ts";
import { isRecorded } from "../audit-log/account-changes.ts";
import { type OwnHold, unownedOf } from "../recover.ts";
import { isResponseWrite, responseStore } from "../responses/response-calls.ts";
import { isUserWrite, userStore } from "../users/user-calls.ts";
import { administration, isAdministrationWrite } from "../vendors/administration-calls.ts";
import type { Task } from "./messages.ts";
import { BatchPacker } from "./pack-op.ts";
import { type PackedResults, unpackResults } from "./pack-result.ts";
import { WorkerClient } from "./worker-client.ts";

/**
 * Opens the embedded database: one file, owned by this process. Holds that an earlier process left open are ended before
 * it resolves. Rejects when another process owns the file.
 */
export async function openSqlite(path: string): Promise<Store> {
  await mkdir(dirname(path), { recursive: true });
  const writer = new WorkerClient();
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
      reader = new WorkerClient();
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
    async sweep(node_id, fateOf = () => "unknown") {
      const holds = await writer.ask<readonly OwnHold[]>({ kind: "sweep", node_id });
      const unowned = unownedOf(holds, fateOf);
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
    state,
    description: `sqlite ${path}`,
    conditions: () => [],
    ping: () => writer.ask<void>({ kind: "ping" }),
    audit: () => readBooks<AuditReport>({ kind: "audit" }),
    async close() {
      await reader?.close();
      await writer.close();
    },
  };
}
