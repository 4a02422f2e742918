import type { UpkeepStore } from "../../core/operations/upkeep.ts";
import { noteWrongRow, wrongRows } from "../recovery/incidents.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { closeDays, makeSums } from "../sums/make-sums.ts";
import { dropCircuitChanges, writeCircuitChanges } from "../traffic/circuit-changes.ts";
import { readTrafficSlice } from "../traffic/read-slice.ts";
import { dropRefusals, writeRefusals } from "../traffic/refusals.ts";
import { dropRefusedRequests, writeRefusedRequests } from "../traffic/refused-requests.ts";
import { dropVendorSlots } from "../traffic/vendor-slots.ts";
import { dropTraffic, recountTraffic, writeTrafficSlice } from "../traffic/write-slice.ts";
import { beatChore, claimChore, endChore, openChore, readChore } from "./chores.ts";
import { dropMonth, noteMonth } from "./drop-months.ts";
import { dropAnswers, dropRequests } from "./drop-old.ts";
import { dropTagValues, unneededTagValues } from "./drop-tag-values.ts";
import { makeMonths } from "./make-months.ts";
import { shareVendorSpending } from "./vendor-spending.ts";

export type UpkeepMethod = keyof UpkeepStore;

export const UPKEEP_WORKS: WorksOf<UpkeepStore> = {
  readChore,
  openChore,
  claimChore,
  beatChore,
  endChore,
  makeMonths,
  noteMonth,
  dropMonth,
  dropRequests,
  dropAnswers,
  unneededTagValues,
  dropTagValues,
  readTrafficSlice,
  writeTrafficSlice,
  recountTraffic,
  dropTraffic,
  writeRefusals,
  dropRefusals,
  writeRefusedRequests,
  dropRefusedRequests,
  noteWrongRow,
  wrongRows,
  shareVendorSpending,
  writeCircuitChanges,
  dropCircuitChanges,
  dropVendorSlots,
  closeDays,
  makeSums,
};

/** Whether a method only reads, and leaves the books' writer alone. */
export function isUpkeepRead(method: UpkeepMethod): boolean {
  return method === "readTrafficSlice" || method === "wrongRows" || method === "unneededTagValues";
}

/**
 * Whether a method leaves the ledger's rows alone: the embedded database's writer then keeps its rows in memory beside it, and
 * need not write the waiting ones. Its changes are no part of the books.
 */
export function isBesideBooks(method: UpkeepMethod, args: readonly unknown[]): boolean {
  if (method === "readTrafficSlice")
    return (args as Parameters<UpkeepStore["readTrafficSlice"]>)[0].written_only === true;
  return changesPartitions(method) || BESIDE_BOOKS.has(method);
}

/** Whether a method changes the parts of a table, which may have to wait for all who use it. The embedded database has no parts. */
export function changesPartitions(method: UpkeepMethod): method is "makeMonths" | "dropMonth" {
  return method === "makeMonths" || method === "dropMonth";
}

/** Usage that waits raises its day's revision when it is written, so sums that were made without it are made again. */
const BESIDE_BOOKS: ReadonlySet<UpkeepMethod> = new Set<UpkeepMethod>([
  "writeTrafficSlice",
  "writeRefusals",
  "writeRefusedRequests",
  "writeCircuitChanges",
  "noteWrongRow",
  "wrongRows",
  "unneededTagValues",
  "shareVendorSpending",
  "closeDays",
  "makeSums",
  "noteMonth",
]);

/** Each method that changes something runs in one transaction, with the books' own writer. */
export function upkeepStore(run: RunMethod<UpkeepMethod>): UpkeepStore {
  return portOf(UPKEEP_WORKS, run);
}
