import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";

const selectRecord = sql("SELECT request_id FROM idempotency WHERE account_id = ? AND key = ? AND expires_ms > ?");

/** Whether a request of the account with this idempotency key runs, or was answered and is remembered. */
export function* hasIdempotencyKey(account_id: string, key: string): Work<boolean> {
  return (yield* row<{ request_id: string }>(selectRecord, [account_id, key, yield* now_ms()])) !== null;
}
