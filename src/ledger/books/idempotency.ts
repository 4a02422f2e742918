import { copyWithCost } from "../../core/answer/shown-cost.ts";
import type { AdmitOp, AdmitResult, StoredAnswer } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import { type IdempotencyOwner, type IdempotencyState, idempotencyId } from "./booked-rows.ts";
import type { RequestState, WorkingSet } from "./working-set.ts";

/** How long an answer is kept (docs/rulings.md 27). */
const KEPT_MS = 24 * 60 * 60_000;

/**
 * The answer that an earlier request with the same idempotency key has for this request; null when there was none
 * (docs/rulings.md 48).
 */
export function answerFromRecord(working: WorkingSet, op: AdmitOp): AdmitResult | null {
  if (op.idempotency === null) return null;
  const record = working.idempotency.get(idempotencyId(op.account_id, op.idempotency.key));
  if (!record || record.expires_ms <= working.now_ms) return null;
  if (record.fingerprint !== op.idempotency.fingerprint)
    return { outcome: "idempotency_key_reused", reason: "other_body" };
  switch (record.state) {
    case "running":
      // The request's process is taken for dead: a repeat takes the record over, and the first request's end may charge nothing.
      return record.abandoned ? null : { outcome: "idempotency_in_progress" };
    case "not_kept":
      return { outcome: "idempotency_key_reused", reason: "answer_not_kept" };
    case "kept": {
      if (record.answer === null) throw new Error(`the answer of ${record.request_id} is gone`);
      return { outcome: "replay", answer: record.answer, request_id: record.request_id };
    }
  }
}

/** Opens a record for an admitted request. An expired or abandoned record of the same key makes room. */
export function openRecord(working: WorkingSet, op: AdmitOp): void {
  if (op.idempotency === null) return;
  const { key, fingerprint } = op.idempotency;
  const id = idempotencyId(op.account_id, key);
  const earlier = working.idempotency.get(id);
  if (earlier && !earlier.fresh) working.idempotency_deletes.push(earlier);
  working.idempotency.set(id, {
    account_id: op.account_id,
    key,
    fingerprint,
    request_id: op.request_id,
    expires_ms: working.now_ms + KEPT_MS,
    fresh: true,
    abandoned: false,
    state: "running",
    answer: null,
  });
}

/**
 * Closes the record of a request that was charged: with its answer, which shows the charge (docs/rulings.md 169), or with the note
 * that no answer was kept.
 */
export function closeRecord(
  working: WorkingSet,
  request: RequestState,
  written: StoredAnswer | null,
  charge_micro: Micro,
): void {
  if (request.idempotency_key === null) return;
  const answer = written === null ? null : charged(written, charge_micro);
  const state = answer === null ? "not_kept" : "kept";
  const record = recordOf(working, request, request.idempotency_key);
  if (record) {
    record.state = state;
    record.answer = answer;
  }
  if (record?.fresh) return;
  working.idempotency_ends.push({ ...ownerOf(request, request.idempotency_key), state, answer });
}

function charged({ cost_place, ...answer }: StoredAnswer, charge_micro: Micro): StoredAnswer {
  return cost_place === undefined ? answer : { ...answer, body: copyWithCost(answer.body, cost_place, charge_micro) };
}

/**
 * Leaves the record of a request that a recovery voids: the request's own end may still come, and be charged. Until then a repeat
 * takes the record over. Nothing is written: a record that runs, of a request that does not, says all of it.
 */
export function abandonRecord(working: WorkingSet, request: RequestState): void {
  if (request.idempotency_key === null) return;
  const record = recordOf(working, request, request.idempotency_key);
  if (record) record.abandoned = true;
}

/**
 * Whether the charge of a request's late end is the only one under the request's idempotency key. Without the record another
 * request may have been charged for the key, or may be yet.
 */
export function mayChargeLate(working: WorkingSet, request: RequestState): boolean {
  return request.idempotency_key === null || recordOf(working, request, request.idempotency_key) !== null;
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

function recordOf(working: WorkingSet, request: RequestState, key: string): IdempotencyState | null {
  const record = working.idempotency.get(idempotencyId(request.account_id, key));
  return record?.request_id === request.id ? record : null;
}
