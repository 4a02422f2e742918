import type { ProgressOp, RecordedResult } from "../../core/ledger/ledger.ts";
import { progressText } from "./progress.ts";
import { changeRequest, type WorkingSet } from "./working-set.ts";

/** Records how far a running request has come, and moves its deadline. A request that has ended stays as it is. */
export function decideProgress(working: WorkingSet, op: ProgressOp): RecordedResult {
  const request = working.requests.get(op.request_id);
  if (request?.status === "held") {
    request.progress = progressText(op);
    request.deadline_ms = working.now_ms + op.ttl_ms;
    request.hold_changed = true;
    changeRequest(working, request);
  }
  return { outcome: "recorded" };
}
