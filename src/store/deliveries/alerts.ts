import { eventBody } from "../../alerts/alert-event.ts";
import { typeOfEvent } from "../../alerts/alert-types.ts";
import { decideAlerts } from "../../alerts/decide-alerts.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import type { AlertLook, AlertRow, OpenAlert } from "../../core/deliveries/alerts.ts";
import { newId } from "../../core/ids.ts";
import { addDelivery } from "../accounts/add-delivery.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, intOrNull, readRows, text, textOrNull } from "../sql/columns.ts";
import { claimTurn } from "../sql/marks.ts";
import { sql, sqlFor } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

/** The most deliveries that wait for a target: it is told nothing more until there is room. */
const MOST_WAITING = 200;
const HOUR_MS = 3_600_000;

const ALERT = {
  type: text,
  subject: text,
  account_id: textOrNull,
  level: int,
  data: text,
  began_ms: int,
  told_ms: intOrNull,
  times_told: int,
  ended_ms: intOrNull,
} as const;
const COLUMNS = columnsOf(ALERT);

const select = sql(`SELECT ${COLUMNS} FROM alerts WHERE scope = ? ORDER BY began_ms, type, subject`);

/** The alerts of an account, or of the gateway (null), that hold now, oldest first. */
export function* listAlerts(account_id: string | null): Work<AlertRow[]> {
  return yield* readRows(ALERT, select, [account_id ?? ""]);
}

const selectOpen = sql("SELECT DISTINCT type, subject FROM alerts");

/** The alerts that were begun, of all scopes. */
export function* openAlerts(): Work<OpenAlert[]> {
  return [...(yield* rows<OpenAlert>(selectOpen))];
}

// One process at a time decides: the next one sees what it has written.
const lockAlerts = sqlFor({
  sqlite: "SELECT 1 AS one",
  postgres: "SELECT pg_advisory_xact_lock(4242424242) IS NULL AS one",
});
const TOLD = "SELECT recipient, type, COUNT(*) AS told FROM deliveries WHERE kind = 'alert' AND created_ms > ?";
const countOfAccount = sql(`${TOLD} AND account_id = ? GROUP BY recipient, type`);
const countOfGateway = sql(`${TOLD} AND account_id IS NULL GROUP BY recipient, type`);
const countWaiting = sql(
  "SELECT recipient, COUNT(*) AS told FROM deliveries WHERE kind = 'alert' AND due_ms IS NOT NULL GROUP BY recipient",
);
const put = sql(
  `INSERT INTO alerts (scope, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (scope, type, subject) DO UPDATE SET level = excluded.level, data = excluded.data, told_ms = excluded.told_ms,
      times_told = excluded.times_told, ended_ms = excluded.ended_ms`,
);
const drop = sql("DELETE FROM alerts WHERE scope = ? AND type = ? AND subject = ?");

interface CountRow {
  readonly recipient: string;
  readonly type: string;
  readonly told: unknown;
}

/**
 * Decides what becomes of a scope's alerts, and writes the deliveries that tell of them, in one transaction: no alert is told twice or never, wherever the
 * process dies. Returns how many deliveries were written.
 */
export function* lookAtAlerts(look: AlertLook): Work<number> {
  const { account_id, listeners } = look;
  yield* rows(lockAlerts);
  const now = yield* now_ms();
  const state = { rows: yield* listAlerts(account_id), recent: yield* toldRecently(account_id, now), now_ms: now };
  const decision = decideAlerts(state, look);
  const scope = account_id ?? "";
  for (const { type, subject } of decision.drop) yield* rows(drop, [scope, type, subject]);
  for (const row of decision.put) {
    const { type, subject, level, data, began_ms, told_ms, times_told, ended_ms } = row;
    yield* rows(put, [scope, type, subject, row.account_id, level, data, began_ms, told_ms, times_told, ended_ms]);
  }
  if (decision.tell.length === 0) return 0;
  const waiting = new Map((yield* rows<CountRow>(countWaiting)).map((each) => [each.recipient, toInt(each.told)]));
  let made = 0;
  for (const event of decision.tell) {
    const type = typeOfEvent(event.type);
    const body = eventBody(event);
    for (const { target_id: recipient, channel, types } of listeners) {
      if (types !== null && (type === null || !types.includes(type))) continue;
      if ((waiting.get(recipient) ?? 0) >= MOST_WAITING) continue;
      const told = { kind: "alert", channel, recipient, account_id, type: event.type, body } as const;
      yield* addDelivery({ id: newId("dlv"), ...told, asked_from: null, ttl_ms: MS_PER_DAY });
      made += 1;
    }
  }
  return made;
}

/** How many alerts of each type the target that was told most of them was told within the last hour. */
function* toldRecently(account_id: string | null, now: number): Work<Map<string, number>> {
  const since_ms = now - HOUR_MS;
  const found =
    account_id === null
      ? yield* rows<CountRow>(countOfGateway, [since_ms])
      : yield* rows<CountRow>(countOfAccount, [since_ms, account_id]);
  const most = new Map<string, number>();
  for (const { type, told } of found) most.set(type, Math.max(most.get(type) ?? 0, toInt(told)));
  return most;
}

/** Whether it is this node's turn to look for alerts: one node of all does so every `every_ms`. */
export function* claimAlertLook(every_ms: number): Work<boolean> {
  return yield* claimTurn("alerts_looked_ms", yield* now_ms(), every_ms);
}
