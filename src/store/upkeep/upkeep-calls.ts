import type { UpkeepStore } from "../../core/operations/upkeep.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type UpkeepMethod = keyof UpkeepStore;

/**
 * `read`: needs no writer. What is `beside` the books neither reads nor changes the ledger's rows: the embedded database's writer then keeps them
 * in memory, and need not write the waiting ones. Usage that waits raises its day's revision when it is written, so sums that were
 * made without it are made again.
 */
type UpkeepCallKind = "write" | "write beside" | "read" | "read beside" | "partitions";

const KINDS: Readonly<Record<UpkeepMethod, UpkeepCallKind>> = {
  ...{ readChore: "write", openChore: "write", claimChore: "write", beatChore: "write", endChore: "write" },
  ...{ makeMonths: "partitions", dropMonth: "partitions", noteMonth: "write beside" },
  ...{ dropRequests: "write", dropAnswers: "write", unneededTagValues: "read beside", dropTagValues: "write" },
  ...{ readTrafficSlice: "read", writeTrafficSlice: "write beside", recountTraffic: "write", dropTraffic: "write" },
  ...{ writeRefusals: "write beside", dropRefusals: "write" },
  ...{ writeRefusedRequests: "write beside", dropRefusedRequests: "write" },
  ...{ noteWrongRow: "write beside", wrongRows: "read beside", shareVendorSpending: "write beside" },
  ...{ writeCircuitChanges: "write beside", dropCircuitChanges: "write", dropVendorSlots: "write" },
  ...{ closeDays: "write beside", makeSums: "write beside" },
};

/** Whether a method only reads, and leaves the books' writer alone. */
export function isUpkeepRead(method: UpkeepMethod): boolean {
  return KINDS[method].startsWith("read");
}

/** Whether a method leaves the ledger's rows alone. Its changes are no part of the books. */
export function isBesideBooks(method: UpkeepMethod, args: readonly unknown[]): boolean {
  if (method === "readTrafficSlice")
    return (args as Parameters<UpkeepStore["readTrafficSlice"]>)[0].written_only === true;
  return changesPartitions(method) || KINDS[method].endsWith("beside");
}

/** Whether a method changes the parts of a table, which may have to wait for all who use it. The embedded database has no parts. */
export function changesPartitions(method: UpkeepMethod): method is "makeMonths" | "dropMonth" {
  return KINDS[method] === "partitions";
}

/** Each method that changes something runs in one transaction, with the books' own writer. */
export function upkeepStore(run: RunMethod<UpkeepMethod>): UpkeepStore {
  return portOf(KINDS, run);
}
