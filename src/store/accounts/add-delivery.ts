import type { NewDelivery } from "../../core/deliveries/deliveries.ts";
import { now_ms } from "../sql/clock.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

const COLUMNS =
  "id, kind, channel, recipient, account_id, type, body, asked_from, created_ms, ends_ms, attempts, due_ms, state";
const insert = sql(
  `INSERT INTO deliveries (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 'waiting') ON CONFLICT (id) DO NOTHING`,
);

/** Puts down what is to be sent; one with its id is there once. */
export function* addDelivery(made: NewDelivery): Work<void> {
  const { id, kind, channel, recipient, account_id, type, body, asked_from, ttl_ms } = made;
  const now = yield* now_ms();
  yield* rows(insert, [id, kind, channel, recipient, account_id, type, body, asked_from, now, now + ttl_ms, now]);
}
