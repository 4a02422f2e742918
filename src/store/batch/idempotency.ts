import type { AdmitResult } from "../../core/ledger.ts";
import type { BookAdmit, BookAnswer } from "./book-op.ts";
import { idempotencyId, type IdempotencyState, type Page, type RequestState } from "./page.ts";

/** How long an answer is kept (docs/rulings.md 27). */
const KEPT_MS = 24 * 60 * 60_000;

/** What an earlier request with the same idempotency key says to this one; null when there was none. */
export function answerFromRecord(page: Page, op: BookAdmit): AdmitResult | null {
  if (op.idempotency_key === null) return null;
  const record = page.idempotency.get(idempotencyId(op.account_id, op.idempotency_key));
  if (!record || record.expires_ms <= page.now_ms) return null;
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
        answer: { ...answer, headers: JSON.parse(headers) as Record<string, string> },
        request_id: record.request_id,
      };
    }
  }
}

/** Opens a record for an admitted request. An expired one of the same key makes room. */
export function openRecord(page: Page, op: BookAdmit): void {
  if (op.idempotency_key === null || op.fingerprint === null) return;
  const id = idempotencyId(op.account_id, op.idempotency_key);
  const expired = page.idempotency.get(id);
  if (expired && !expired.fresh) page.idempotency_deletes.push([op.account_id, op.idempotency_key, expired.request_id]);
  page.idempotency.set(id, {
    account_id: op.account_id,
    key: op.idempotency_key,
    fingerprint: op.fingerprint,
    request_id: op.request_id,
    expires_ms: page.now_ms + KEPT_MS,
    fresh: true,
    state: "running",
    answer: null,
  });
}

/** Closes the record of a request that was charged: with its answer, or with the note that there is none to replay. */
export function closeRecord(page: Page, request: RequestState, answer: BookAnswer | null): void {
  if (request.idempotency_key === null) return;
  const state = answer === null ? "not_kept" : "kept";
  const record = recordOf(page, request, request.idempotency_key);
  if (record) {
    record.state = state;
    record.answer = answer;
  }
  if (record?.fresh) return;
  const { status = null, content_type = null, headers = null, body = null } = answer ?? {};
  page.idempotency_ends.push([
    ...[state, status, content_type, headers, body],
    ...[request.account_id, request.idempotency_key, request.id],
  ]);
}

/** Takes the record of a voided request away, so that a repeat runs anew. */
export function dropRecord(page: Page, request: RequestState): void {
  if (request.idempotency_key === null) return;
  const record = recordOf(page, request, request.idempotency_key);
  if (record) page.idempotency.delete(idempotencyId(request.account_id, request.idempotency_key));
  if (!record?.fresh) page.idempotency_deletes.push([request.account_id, request.idempotency_key, request.id]);
}

/** The record as this page knows it, if it is this request's. */
function recordOf(page: Page, request: RequestState, key: string): IdempotencyState | null {
  const record = page.idempotency.get(idempotencyId(request.account_id, key));
  return record?.request_id === request.id ? record : null;
}
