import type { Channel, DeliveryQuery, DeliveryRecord, DeliveryState } from "../../core/deliveries/deliveries.ts";
import { now_ms } from "../sql/clock.ts";
import {
  columnsOf,
  int,
  intOrNull,
  type ReadRow,
  readFirst,
  readRows,
  text,
  textOrNull,
  word,
} from "../sql/columns.ts";
import { sql, type Value } from "../sql/statement.ts";
import { row, rows, type Work } from "../sql/work.ts";

const TOLD = {
  id: text,
  channel: word<Channel>(),
  account_id: textOrNull,
  recipient: text,
  type: text,
  body: text,
  attempts: int,
  created_ms: int,
  state: word<DeliveryState>(),
  due_ms: intOrNull,
  ended_ms: intOrNull,
  status: intOrNull,
  reason: textOrNull,
} as const;
const COLUMNS = columnsOf(TOLD);

function recordOf({ recipient, ...same }: ReadRow<typeof TOLD>): DeliveryRecord {
  return { ...same, target_id: recipient };
}

const OF_ACCOUNT = `SELECT ${COLUMNS} FROM deliveries WHERE type IS NOT NULL AND account_id = ?`;
const OF_GATEWAY = `SELECT ${COLUMNS} FROM deliveries WHERE type IS NOT NULL AND account_id IS NULL`;
const NEWEST = "ORDER BY created_ms DESC, id DESC LIMIT ?";
const BEFORE = "AND (created_ms < ? OR (created_ms = ? AND id < ?))";
const LISTS = {
  account: sql(`${OF_ACCOUNT} ${NEWEST}`),
  account_before: sql(`${OF_ACCOUNT} ${BEFORE} ${NEWEST}`),
  gateway: sql(`${OF_GATEWAY} ${NEWEST}`),
  gateway_before: sql(`${OF_GATEWAY} ${BEFORE} ${NEWEST}`),
};

/** What was told, newest first: of an account's own targets, or of the gateway's. */
export function* listDeliveries({ account_id, limit, before_id, before_ms }: DeliveryQuery): Work<DeliveryRecord[]> {
  const created_ms =
    before_id === undefined ? null : (before_ms ?? (yield* findDelivery(before_id))?.created_ms ?? null);
  const whose: Value[] = account_id === null ? [] : [account_id];
  const after: Value[] = created_ms === null ? [] : [created_ms, created_ms, before_id ?? ""];
  const list =
    `${account_id === null ? "gateway" : "account"}${created_ms === null ? "" : "_before"}` as keyof typeof LISTS;
  return (yield* readRows(TOLD, LISTS[list], [...whose, ...after, limit])).map(recordOf);
}

const find = sql(`SELECT ${COLUMNS} FROM deliveries WHERE id = ? AND type IS NOT NULL`);

export function* findDelivery(id: string): Work<DeliveryRecord | null> {
  const found = yield* readFirst(TOLD, find, [id]);
  return found && recordOf(found);
}

const again = sql(
  `UPDATE deliveries SET state = 'waiting', due_ms = ?, ends_ms = ?, ended_ms = NULL, attempts = 0, status = NULL, reason = NULL
    WHERE id = ? AND type IS NOT NULL AND due_ms IS NULL RETURNING id`,
);
const sooner = sql(
  "UPDATE deliveries SET due_ms = ? WHERE id = ? AND type IS NOT NULL AND reason IS NOT NULL AND due_ms > ?",
);

/** Sends what was told once more, under the same id: what is over begins anew, and what waits after a try is due now. False where there is none. */
export function* resendDelivery(id: string, ttl_ms: number): Work<boolean> {
  const now = yield* now_ms();
  if ((yield* row(again, [now, now + ttl_ms, id])) !== null) return true;
  yield* rows(sooner, [now, id, now]);
  return (yield* findDelivery(id)) !== null;
}

const dropOld = sql(
  `DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE type IS NOT NULL AND due_ms IS NULL
    AND (created_ms < ? OR (kind = 'usage' AND created_ms < ?)) LIMIT 200) RETURNING id`,
);

/** Deletes what was told long ago, a few at a time. Returns how many. */
export function* dropDeliveries(kept_since_ms: number, usage_since_ms: number): Work<number> {
  return (yield* rows(dropOld, [kept_since_ms, usage_since_ms])).length;
}
