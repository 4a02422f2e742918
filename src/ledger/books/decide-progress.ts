import type { RecordedResult } from "../../core/ledger.ts";
import type { BookProgress } from "./book-op.ts";
import { changeRequest, type WorkingSet } from "./working-set.ts";

/** Records how far a running request has come, and moves its deadline. A request that has ended stays as it is. */
export function decideProgress(working: WorkingSet, op: BookProgress): RecordedResult {
  const request = working.requests.get(op.request_id);
  if (request?.status === "held") {
    request.progress = op.progress;
    request.deadline_ms = working.now_ms + op.ttl_ms;
    request.hold_changed = true;
    changeRequest(working, request);
  }
  return { outcome: "recorded" };
}
