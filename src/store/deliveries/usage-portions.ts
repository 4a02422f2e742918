import { MS_PER_DAY } from "../../core/clock.ts";
import {
  USAGE_TYPE,
  type UsageCut,
  type UsageEvent,
  type UsagePart,
  type UsagePortion,
} from "../../core/deliveries/usage-events.ts";
import { newId } from "../../core/ids.ts";
import { readLateOutcome, requestOfLateNote } from "../../ledger/books/late-end.ts";
import { statementOf } from "../accounts/conditions.ts";
import { type UsageColumns, usageOf } from "../accounts/request-rows.ts";
import { type RowTexts, readTexts } from "../batch/row-texts.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, columnsOf, int, type ReadRow, readRows, text, textOrNull, word } from "../sql/columns.ts";
import { insertEach, lookup, partLookup, sql, type Value } from "../sql/statement.ts";
import { readJson, toInt } from "../sql/values.ts";
import { row, rows, step, type Work } from "../sql/work.ts";

/** A delivery of usage events is never given up: it waits until it is taken. */
const FOR_EVER_MS = 36_500 * MS_PER_DAY;

/** Entries that are no usage events: credits, and corrections by people. Written so that the index of entries other than charges is used. */
const NO_EVENTS =
  "e.kind IN ('credit', 'correction') AND e.kind <> 'charge' AND NOT (e.kind = 'correction' AND e.actor = 'gateway')";
const OTHERS = `SELECT COUNT(*) FROM entries AS e WHERE e.account_id = a.id AND e.seq <= a.entry_count AND ${NO_EVENTS}`;

const addTarget = sql(
  "INSERT INTO usage_targets (target_id, next_ms) VALUES (?, 0) ON CONFLICT DO NOTHING RETURNING target_id",
);
const addPositions = sql(
  `INSERT INTO usage_positions (target_id, account_id, entry_seq, cursor)
    SELECT CAST(? AS TEXT), a.id, a.entry_count, a.entry_count - (${OTHERS}) FROM accounts AS a WHERE a.entry_count > 0
    ON CONFLICT (target_id, account_id) DO NOTHING`,
);

/** Makes a target known, once: it gets what is charged from now on. An account that has come from another cell keeps the place that came with it. */
export function* beginUsage(target_id: string): Work<void> {
  if ((yield* row(addTarget, [target_id])) !== null) yield* rows(addPositions, [target_id]);
}

/** Accounts with entries behind their place; one without a row had no entry when the target was made known. An account whose last delivery still waits is left out. */
const UNSENT = `FROM accounts AS a
    LEFT JOIN usage_positions AS p ON p.target_id = ? AND p.account_id = a.id
    LEFT JOIN deliveries AS d ON d.id = p.delivery_id AND d.due_ms IS NOT NULL
    WHERE a.entry_count > coalesce(p.entry_seq, 0) AND d.id IS NULL`;
const findUnsent = sql(`SELECT a.id ${UNSENT} AND a.id > ? ORDER BY a.id LIMIT ?`);

export function* findUnsentUsage(target_id: string, after_id: string, limit: number): Work<string[]> {
  return (yield* rows<{ id: string }>(findUnsent, [target_id, after_id, limit])).map(({ id }) => id);
}

const lockTarget = sql("SELECT next_ms, delivery_id FROM usage_targets WHERE target_id = ? {lock}");
const findWaiting = sql("SELECT id FROM deliveries WHERE id = ? AND due_ms IS NOT NULL");
const PLACES = `SELECT a.id, a.entry_count, coalesce(p.entry_seq, 0) AS entry_seq, coalesce(p.cursor, 0) AS cursor ${UNSENT}`;
const selectPlaces = statementOf(`${PLACES} AND a.id IN ({list}) ORDER BY a.id`);
const countOthers = sql(
  `SELECT COUNT(*) AS others FROM entries AS e WHERE e.account_id = ? AND e.seq > ? AND e.seq <= ? AND ${NO_EVENTS}`,
);
const putPositions = insertEach(
  "usage_positions",
  { target_id: "text", account_id: "text", entry_seq: "bigint", cursor: "bigint", delivery_id: "text" },
  {
    conflict: `(target_id, account_id) DO UPDATE
      SET entry_seq = excluded.entry_seq, cursor = excluded.cursor, delivery_id = excluded.delivery_id`,
  },
);
const putTarget = sql("UPDATE usage_targets SET next_ms = ?, delivery_id = ? WHERE target_id = ?");
const putDeliveries = insertEach(
  "deliveries",
  {
    ...{ id: "text", channel: "text", recipient: "text", body: "text" },
    ...{ created_ms: "bigint", ends_ms: "bigint", due_ms: "bigint" },
  },
  { constants: { kind: "'usage'", type: `'${USAGE_TYPE}'`, attempts: "0", state: "'waiting'" } },
);

const PLACE = { id: text, entry_count: int, entry_seq: int, cursor: int } as const;

/**
 * Writes the next deliveries of a target, and moves its places in the ledger, in one transaction: no event is left out or written twice, wherever the
 * process dies. One node at a time does so. Returns how many deliveries were written.
 */
export function* cutUsage(cut: UsageCut): Work<number> {
  const { target_id, channel, accounts, is_by_account, every_ms } = cut;
  const target = yield* row<{ next_ms: unknown; delivery_id: string | null }>(lockTarget, [target_id]);
  const now = yield* now_ms();
  if (target === null || isEarly(toInt(target.next_ms), now, every_ms)) return 0;
  if (target.delivery_id !== null && (yield* row(findWaiting, [target.delivery_id])) !== null) return 0;
  const places = yield* readRows(PLACE, selectPlaces, [target_id, JSON.stringify(accounts)]);
  const { parts, has_more } = yield* partsOf(places, cut);
  const told = parts.filter(({ events }) => events > 0);
  const portions = is_by_account ? told.map((part) => [part]) : told.length === 0 ? [] : [told];
  const deliveries = portions.map((of) => ({ id: newId("dlv"), of }));
  const ids = new Map(deliveries.flatMap(({ id, of }) => of.map((part) => [part.account_id, id] as const)));
  yield* rows(
    putDeliveries,
    deliveries.map(({ id, of }) => [id, channel, target_id, bodyOf(of), now, now + FOR_EVER_MS, now]),
  );
  yield* rows(
    putPositions,
    parts.map(({ account_id, to_seq, after_cursor, events }): Value[] => [
      ...[target_id, account_id, to_seq, after_cursor + events],
      is_by_account ? (ids.get(account_id) ?? null) : null,
    ]),
  );
  const last = is_by_account ? null : (deliveries[0]?.id ?? null);
  if (parts.length > 0) yield* rows(putTarget, [has_more ? now : now + every_ms, last, target_id]);
  return deliveries.length;
}

/** A clock that was set back makes nothing wait for longer than usual. */
function isEarly(next_ms: number, now: number, every_ms: number): boolean {
  return now < next_ms && next_ms - now <= every_ms;
}

type SizedPart = UsagePart & { readonly events: number };

/** The entries of each account that there is room for. */
function* partsOf(
  places: readonly ReadRow<typeof PLACE>[],
  { is_by_account, most_events, has_others }: UsageCut,
): Work<{ parts: SizedPart[]; has_more: boolean }> {
  const wanted: UsagePart[] = [];
  let room = most_events;
  let has_more = has_others;
  for (const { id: account_id, entry_seq: after_seq, entry_count: end_seq, cursor: after_cursor } of places) {
    const to_seq = Math.min(end_seq, after_seq + (is_by_account ? most_events : room));
    room -= to_seq - after_seq;
    has_more ||= to_seq < end_seq;
    if (to_seq > after_seq) wanted.push({ account_id, after_seq, to_seq, after_cursor });
  }
  if (wanted.length === 0) return { parts: [], has_more };
  const counts = yield wanted.map(({ account_id, after_seq, to_seq }) =>
    step(countOthers, [account_id, after_seq, to_seq]),
  );
  const parts = wanted.map((part, at) => {
    const [counted] = counts[at] as readonly { readonly others: unknown }[];
    return { ...part, events: part.to_seq - part.after_seq - toInt(counted?.others) };
  });
  return { parts, has_more };
}

function bodyOf(sized: readonly SizedPart[]): string {
  const parts = sized.map(({ account_id, after_seq, to_seq, after_cursor }) => ({
    ...{ account_id, after_seq, to_seq, after_cursor },
  }));
  const events = sized.reduce((sum, part) => sum + part.events, 0);
  return JSON.stringify({ type: USAGE_TYPE, events, parts } satisfies UsagePortion);
}

const ENTRY = {
  ...{ account_id: text, kind: word<"charge" | "correction">(), amount_micro: amount },
  ...{ request_id: textOrNull, note: text, created_ms: int },
} as const;
const selectEntries = sql(
  `SELECT ${columnsOf(ENTRY)} FROM entries
    WHERE account_id = ? AND seq > ? AND seq <= ? AND (kind = 'charge' OR (kind = 'correction' AND actor = 'gateway')) ORDER BY seq`,
);
const selectRequests = partLookup(
  `SELECT id, key_id, project_id, tags, endpoint_no, model_no, input_tokens, cache_read_tokens, cache_write_tokens,
    output_tokens, reasoning_tokens, usage_extra FROM requests`,
  ["id", "text"],
);
const selectLate = lookup("SELECT request_id, outcome FROM late_settlements", { request_id: "text" });

interface UsageRequestRow extends UsageColumns {
  readonly id: string;
  readonly key_id: string;
  readonly project_id: string | null;
  readonly tags: string | null;
  readonly endpoint_no: unknown;
  readonly model_no: unknown;
}

/** The events of parts, in their order: entries never change, so each is the same whenever it is read, as long as its request is kept. */
export function* readUsage(parts: readonly UsagePart[]): Work<UsageEvent[]> {
  const read: { entry: ReadRow<typeof ENTRY>; request_id: string; cursor: number }[] = [];
  for (const { account_id, after_seq, to_seq, after_cursor } of parts) {
    const entries = yield* readRows(ENTRY, selectEntries, [account_id, after_seq, to_seq]);
    for (const [at, entry] of entries.entries()) {
      const request_id = entry.request_id ?? requestOfLateNote(entry.note) ?? "";
      read.push({ entry, request_id, cursor: after_cursor + at + 1 });
    }
  }
  const ids = [...new Set(read.map(({ request_id }) => request_id))].map((id) => [id]);
  const late_ids = read.flatMap(({ entry, request_id }) => (entry.kind === "correction" ? [[request_id]] : []));
  const found = ids.length === 0 ? [] : yield* rows<UsageRequestRow>(selectRequests, ids);
  const late = late_ids.length === 0 ? [] : yield* rows<{ request_id: string; outcome: string }>(selectLate, late_ids);
  const texts = yield* readTexts(found, ["endpoint_no", "model_no"]);
  const requests = new Map(found.map((each) => [each.id, each]));
  const outcomes = new Map(late.map(({ request_id, outcome }) => [request_id, outcome]));
  return read.map(({ entry, request_id, cursor }) => {
    const { account_id: account, kind, amount_micro, created_ms } = entry;
    const outcome = kind === "correction" ? outcomes.get(request_id) : undefined;
    const about = aboutOf(requests.get(request_id), texts);
    const usage = outcome === undefined ? about.usage : readLateOutcome(outcome).usage;
    const charged = { charge_micro: -amount_micro, settled_ms: created_ms };
    return { account, cursor, kind, request_id, ...about, usage, ...charged };
  });
}

const NOT_KEPT = { key: null, project: null, tags: {}, endpoint: null, model: null, usage: null };

function aboutOf(
  request: UsageRequestRow | undefined,
  texts: RowTexts,
): Pick<UsageEvent, "key" | "project" | "tags" | "endpoint" | "model" | "usage"> {
  if (request === undefined) return NOT_KEPT;
  const { key_id: key, project_id: project, tags, endpoint_no, model_no } = request;
  return {
    ...{ key, project, tags: tags === null ? {} : readJson<Record<string, string>>(tags) },
    ...{ endpoint: texts.text(endpoint_no), model: texts.text(model_no) },
    usage: request.input_tokens === null ? null : usageOf(request),
  };
}
