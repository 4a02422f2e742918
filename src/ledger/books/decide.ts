import type {
  AdmitResult,
  CountRefusalOp,
  ExtendResult,
  RecordedResult,
  SettleResult,
  VoidResult,
} from "../../core/ledger/ledger.ts";
import { refill, takeWhatIsLeft } from "../../limits/bucket.ts";
import type { BookOp } from "./book-op.ts";
import { decideAdmission } from "./decide-admission.ts";
import { decideExtension } from "./decide-extension.ts";
import { decideProgress } from "./decide-progress.ts";
import { decideRecovery, type RecoveryResult } from "./decide-recovery.ts";
import { decideSettlement, decideVoid } from "./decide-settlement.ts";
import { projectUsageChangeOf, usageChangeOf } from "./usage-change.ts";
import { changeKey, type WorkingSet } from "./working-set.ts";

export type BookResult = AdmitResult | ExtendResult | RecordedResult | SettleResult | VoidResult | RecoveryResult;

/**
 * Decides over one operation of a batch, on a working set that has the rows that the operation concerns, and changes those
 * rows. A decision follows from the rows, the operation and the time alone (docs/adr/0019).
 */
export function decide(working: WorkingSet, op: BookOp): BookResult {
  switch (op.op) {
    case "admit":
      return decideAdmission(working, op);
    case "extend":
      return decideExtension(working, op);
    case "progress":
      return decideProgress(working, op);
    case "settle":
      return decideSettlement(working, op);
    case "void":
      return decideVoid(working, op);
    case "recover":
      return decideRecovery(working, op);
    case "count-refusal":
      return countRefusal(working, op);
  }
}

/**
 * Counts a request that was refused before its admission (docs/rulings.md 49), and takes it from its key's rate (141). An
 * unknown account has no usage.
 */
function countRefusal(working: WorkingSet, op: CountRefusalOp): RecordedResult {
  const { account_id, key_id, rpm } = op;
  const model = op.model ?? "";
  if (!working.accounts.has(account_id)) return { outcome: "recorded" };
  usageChangeOf(working, account_id, key_id, model).refused_count += 1;
  const key = working.keys.get(key_id);
  if (key !== undefined && key.project_id !== null && key.account_id === account_id)
    projectUsageChangeOf(working, { account_id, key_id, project_id: key.project_id }, model).refused_count += 1;
  if (rpm !== null && key?.account_id === account_id) {
    key.requests = takeWhatIsLeft(refill(key.requests, rpm, working.now_ms));
    changeKey(working, key);
  }
  return { outcome: "recorded" };
}
