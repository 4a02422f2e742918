import type { AdmitResult } from "../../core/ledger.ts";
import type { BookAdmit, BookAnswer } from "./book-op.ts";
import {
  idempotencyId,
  type IdempotencyOwner,
  type IdempotencyState,
  type RequestState,
  type WorkingSet,
} from "./working-set.ts";

/** How long an answer is kept (docs/rulings.md 27). */
const KEPT_MS = 24 * 60 * 60_000;

/** The answer that an earlier request with the same idempotency key has for this request; null when there was none. */
export function answerFromRecord(working: WorkingSet, op: BookAdmit): AdmitResult | null {
  if (op.idempotency_key === null) return null;
  const record = working.idempotency.get(idempotencyId(op.account_id, op.idempotency_key));
  if (!record || record.expires_ms <= working.now_ms) return null;
  if (record.fingerprint !== op.fingerprint) return { outcome: "idempotency_key_reused", reason: "other_body" };
  switch (record.state) {
    case "running":
      return { outcome: "idempotency_in_progress" };
    case "not_kept":
      return { outcome: "idempotency_key_reused", reason: "answer_not_kept" };
    case "kept": {
      if (record.answer === null) throw new Error(`the answer of ${record.request_id} is gone`);
      const { headers, ...answer } = record.answer;
      return {
        outcome: "replay",
        answer: { ...answer, headers: readHeaders(headers) },
        request_id: record.request_id,
      };
    }
  }
}

function readHeaders(text: string): Record<string, string> {
  return JSON.parse(text);
}

/** Opens a record for an admitted request. An expired record of the same key makes room. */
export function openRecord(working: WorkingSet, op: BookAdmit): void {
  if (op.idempotency_key === null || op.fingerprint === null) return;
  const id = idempotencyId(op.account_id, op.idempotency_key);
  const expired = working.idempotency.get(id);
  if (expired && !expired.fresh) working.idempotency_deletes.push(expired);
  working.idempotency.set(id, {
    account_id: op.account_id,
    key: op.idempotency_key,
    fingerprint: op.fingerprint,
    request_id: op.request_id,
    expires_ms: working.now_ms + KEPT_MS,
    fresh: true,
    state: "running",
    answer: null,
  });
}

/** Closes the record of a request that was charged: with its answer, or with the note that no answer was kept. */
export function closeRecord(working: WorkingSet, request: RequestState, answer: BookAnswer | null): void {
  if (request.idempotency_key === null) return;
  const state = answer === null ? "not_kept" : "kept";
  const record = recordOf(working, request, request.idempotency_key);
  if (record) {
    record.state = state;
    record.answer = answer;
  }
  if (record?.fresh) return;
  working.idempotency_ends.push({ ...ownerOf(request, request.idempotency_key), state, answer });
}

/** Takes the record of a voided request away, so that a repeat runs anew. */
export function dropRecord(working: WorkingSet, request: RequestState): void {
  if (request.idempotency_key === null) return;
  const record = recordOf(working, request, request.idempotency_key);
  if (record) working.idempotency.delete(idempotencyId(request.account_id, request.idempotency_key));
  if (!record?.fresh) working.idempotency_deletes.push(ownerOf(request, request.idempotency_key));
}

function ownerOf(request: RequestState, key: string): IdempotencyOwner {
  return { account_id: request.account_id, key, request_id: request.id };
}

/** The record in the working set, if it is this request's. */
function recordOf(working: WorkingSet, request: RequestState, key: string): IdempotencyState | null {
  const record = working.idempotency.get(idempotencyId(request.account_id, key));
  return record?.request_id === request.id ? record : null;
}
