import type {
  Channel,
  Claim,
  ClaimedDelivery,
  ClaimQuery,
  DeliveryKind,
  DeliveryQuery,
  DeliveryRecord,
  DeliveryState,
  NewLetter,
  TryOutcome,
} from "../../core/deliveries/deliveries.ts";
import { addDelivery } from "../accounts/add-delivery.ts";
import { statementOf } from "../accounts/conditions.ts";
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
import { behind } from "../sql/page.ts";
import { sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** The most letters of a kind that wait: what strangers ask for takes no place from invitations. */
const MOST_LETTERS = 1000;

const CLAIMED = {
  id: text,
  kind: word<DeliveryKind>(),
  channel: word<Channel>(),
  recipient: text,
  account_id: textOrNull,
  type: textOrNull,
  body: textOrNull,
  asked_from: textOrNull,
  created_ms: int,
  ends_ms: int,
  attempts: int,
} as const;

const countKind = sql("SELECT COUNT(*) AS waiting FROM deliveries WHERE kind = ? AND due_ms IS NOT NULL");

/** Adds a letter to those that wait; a second one with its id changes nothing. False where too many of its kind wait. */
export function* addLetter(letter: NewLetter): Work<boolean> {
  const found = yield* row<{ waiting: unknown }>(countKind, [letter.kind]);
  if (toInt(found?.waiting ?? 0) >= MOST_LETTERS) return false;
  yield* addDelivery({ ...letter, channel: "mail", account_id: null, type: null, body: null });
  return true;
}

/** A delivery that another node is claiming is passed over. */
const claimOver = (over: string) =>
  statementOf(`UPDATE deliveries SET due_ms = ?, attempts = attempts + 1
    WHERE id = (SELECT id FROM deliveries WHERE due_ms <= ? AND ${over} ({list})
      ORDER BY due_ms, id LIMIT 1 {postgres: FOR UPDATE SKIP LOCKED})
    RETURNING ${columnsOf(CLAIMED)}`);
const CLAIM_FIRST = {
  mail: claimOver("channel = 'mail' AND recipient NOT IN"),
  http: claimOver("channel <> 'mail' AND kind <> 'usage' AND recipient NOT IN"),
  usage: claimOver("kind = 'usage' AND recipient IN"),
};

export function* claimDelivery(query: ClaimQuery): Work<{ delivery: ClaimedDelivery | null; given_up: number }> {
  const { over, lease_ms } = query;
  const named = over === "usage" ? query.targets : query.busy;
  const now = yield* now_ms();
  const late = yield* endLate(now);
  const delivery = yield* readFirst(CLAIMED, CLAIM_FIRST[over], [now + lease_ms, now, JSON.stringify(named)]);
  return { delivery, given_up: late };
}

const deleteLate = sql("DELETE FROM deliveries WHERE type IS NULL AND ends_ms <= ? AND due_ms <= ? RETURNING id");
const failLate = sql(
  `UPDATE deliveries SET state = 'failed', due_ms = NULL, ended_ms = ? WHERE ends_ms <= ? AND due_ms <= ? RETURNING id`,
);

function* endLate(now: number): Work<number> {
  const letters = yield* rows(deleteLate, [now, now]);
  const others = yield* rows(failLate, [now, now, now]);
  return letters.length + others.length;
}

const deleteLetter = sql("DELETE FROM deliveries WHERE id = ? AND attempts = ? AND type IS NULL");
const end = sql(
  `UPDATE deliveries SET state = ?, due_ms = NULL, ended_ms = ?, status = ?, reason = ?
    WHERE id = ? AND attempts = ? AND due_ms IS NOT NULL`,
);

/** Ends a delivery that was sent, or that is not to be sent; a letter goes. Nothing happens where another has claimed it since. */
export function* endDelivery({ id, kind, attempts }: Claim, outcome: TryOutcome | null): Work<void> {
  if (kind !== "alert" && kind !== "usage") {
    yield* rows(deleteLetter, [id, attempts]);
    return;
  }
  const is_delivered = outcome === null || outcome.reason === null;
  const state = is_delivered ? "delivered" : "failed";
  yield* rows(end, [state, yield* now_ms(), outcome?.status ?? null, outcome?.reason ?? null, id, attempts]);
}

const delay = sql(
  `UPDATE deliveries SET due_ms = ?, status = ?, reason = ?
    WHERE id = ? AND attempts = ? AND due_ms IS NOT NULL AND ends_ms > ? RETURNING recipient`,
);
const delayOthers = sql("UPDATE deliveries SET due_ms = ? WHERE recipient = ? AND kind = 'alert' AND due_ms < ?");

/**
 * Delays a delivery that could not be sent, and others to the same target. False where its time will be over by then: it is given up.
 */
export function* delayDelivery(claim: Claim, wait_ms: number, outcome: TryOutcome): Work<boolean> {
  const due_ms = (yield* now_ms()) + wait_ms;
  const { id, attempts } = claim;
  const found = yield* row<{ recipient: string }>(delay, [
    due_ms,
    outcome.status,
    outcome.reason,
    id,
    attempts,
    due_ms,
  ]);
  if (found === null) {
    yield* endDelivery(claim, outcome);
    return false;
  }
  yield* rows(delayOthers, [due_ms, found.recipient, due_ms]);
  return true;
}

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
const NEWEST = `AND ${behind("")} ORDER BY created_ms DESC, id DESC LIMIT ?`;
const listOfAccount = sql(`${OF_ACCOUNT} ${NEWEST}`);
const listOfGateway = sql(`${OF_GATEWAY} ${NEWEST}`);

/** The deliveries to an account's own targets, or to the gateway's, newest first. */
export function* listDeliveries({ account_id, limit, before_id, before_ms }: DeliveryQuery): Work<DeliveryRecord[]> {
  const before = before_id === undefined ? null : (before_ms ?? (yield* findDelivery(before_id))?.created_ms ?? null);
  const last = before ?? Number.MAX_SAFE_INTEGER;
  const place = [last, last, before_id ?? "", limit];
  const found =
    account_id === null ? readRows(TOLD, listOfGateway, place) : readRows(TOLD, listOfAccount, [account_id, ...place]);
  return (yield* found).map(recordOf);
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

/** Sends a delivery once more, under the same id: one that is over begins anew, and one that waits after a try is due now. False where there is none. */
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

/** Deletes old deliveries, a few at a time. Returns how many. */
export function* dropDeliveries(kept_since_ms: number, usage_since_ms: number): Work<number> {
  return (yield* rows(dropOld, [kept_since_ms, usage_since_ms])).length;
}
