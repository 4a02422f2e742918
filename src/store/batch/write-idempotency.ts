import type { IdempotencyEnd, IdempotencyOwner, IdempotencyState } from "../../ledger/books/booked-rows.ts";
import type { WorkingSet } from "../../ledger/books/working-set.ts";
import { deleteEach, insertEach, updateEach, type Value } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";

const ANSWER = { state: "text", status: "bigint", content_type: "text", headers: "text", body: "bytea" } as const;

/** Guarded by the request: a record that was replaced meanwhile belongs to another request. */
const OF_REQUEST = { account_id: "text", key: "text", request_id: "text" } as const;
const endIdempotency = updateEach("idempotency", ANSWER, OF_REQUEST);
const deleteIdempotency = deleteEach("idempotency", OF_REQUEST);
const insertIdempotency = insertEach("idempotency", {
  account_id: "text",
  key: "text",
  fingerprint: "text",
  request_id: "text",
  expires_ms: "bigint",
  ...ANSWER,
});

function idempotencyRows(working: WorkingSet): Value[][] {
  const fresh: Value[][] = [];
  for (const record of working.idempotency.values()) if (record.fresh) fresh.push(idempotencyRow(record));
  return fresh;
}

function idempotencyRow({
  account_id,
  key,
  fingerprint,
  request_id,
  expires_ms,
  ...record
}: IdempotencyState): Value[] {
  return [account_id, key, fingerprint, request_id, expires_ms, ...answerValues(record)];
}

function endRow({ account_id, key, request_id, ...record }: IdempotencyEnd): Value[] {
  return [...answerValues(record), account_id, key, request_id];
}

/** The values of the `ANSWER` columns. */
function answerValues({ state, answer }: Pick<IdempotencyState, "state" | "answer">): Value[] {
  if (answer === null) return [state, null, null, null, null];
  return [state, answer.status, answer.content_type, JSON.stringify(answer.headers), answer.body];
}

function ownerRow({ account_id, key, request_id }: IdempotencyOwner): Value[] {
  return [account_id, key, request_id];
}

export function addIdempotency(working: WorkingSet, add: AddStep): void {
  add(endIdempotency, working.idempotency_ends.map(endRow));
  add(deleteIdempotency, working.idempotency_deletes.map(ownerRow));
  add(insertIdempotency, idempotencyRows(working));
}
