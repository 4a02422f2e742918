import { deleteEach, insertEach, updateEach, type Value } from "../sql/statement.ts";
import type { AddStep } from "../sql/work.ts";
import type { IdempotencyState, Page } from "./page.ts";

const ANSWER = { state: "text", status: "bigint", content_type: "text", headers: "text", body: "bytea" } as const;

/** Guarded by the request: a record that was replaced meanwhile belongs to another one. */
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

function idempotencyRows(page: Page): Value[][] {
  const fresh: Value[][] = [];
  for (const record of page.idempotency.values()) if (record.fresh) fresh.push(idempotencyRow(record));
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
  const { status = null, content_type = null, headers = null, body = null } = record.answer ?? {};
  return [account_id, key, fingerprint, request_id, expires_ms, record.state, status, content_type, headers, body];
}

export function addIdempotency(page: Page, add: AddStep): void {
  add(endIdempotency, page.idempotency_ends);
  add(deleteIdempotency, page.idempotency_deletes);
  add(insertIdempotency, idempotencyRows(page));
}
