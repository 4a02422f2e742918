import type {
  NewStoredResponse,
  ResponsePart,
  StoredItem,
  StoredResponse,
} from "../../core/answer/stored-responses.ts";
import { now_ms } from "../sql/clock.ts";
import { deleteEach, insertEach, lookup, sql, updateEach, type Value } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";

/** The size of a row without its contents, with its entries in the indices. */
const ROW_BYTES = 512;
const ITEM_BYTES = 256;
/** How many rows of an account are read at a time when rows have to be deleted. */
const STEP = 200;

const KEY = { account_id: "text", response_key: "text" } as const;
const PARTS = { input: "bytea", output: "bytea", rest: "bytea" } as const;
const deleteResponses = deleteEach("stored_responses", KEY);
const renewResponses = updateEach("stored_responses", { expires_ms: "bigint" }, KEY);
const insertResponses = insertEach(
  "stored_responses",
  { ...KEY, parent_key: "text", created_ms: "bigint", expires_ms: "bigint", bytes: "bigint", ...PARTS },
  // Another gateway may have written the same response meanwhile.
  { conflict: "(account_id, response_key) DO NOTHING" },
);
const insertItems = insertEach(
  "stored_items",
  { account_id: "text", item_key: "text", response_key: "text" },
  { conflict: "(account_id, item_key) DO UPDATE SET response_key = excluded.response_key" },
);

export function* put(given: readonly NewStoredResponse[], account_bytes: number): Work<void> {
  const now = yield* now_ms();
  // The last of several responses with one key counts.
  const responses = [...new Map(given.map((each) => [pair(each.account_id, each.response_key), each])).values()];
  yield* rows(deleteResponses, responses.map(keyOf));
  yield* renew(responses, now);
  const inserted = responses.map((each) => [
    ...keyOf(each),
    ...[each.parent_key, now, now + each.keep_ms, bytesOf(each), each.parts.input, each.parts.output, each.parts.rest],
  ]);
  yield* rows(insertResponses, inserted);
  yield* rows(insertItems, [...itemRows(responses)]);
  for (const account_id of new Set(responses.map((each) => each.account_id)))
    yield* makeRoom(account_id, account_bytes);
}

function pair(first: string, second: string): string {
  return `${first} ${second}`;
}

function keyOf({ account_id, response_key }: NewStoredResponse): Value[] {
  return [account_id, response_key];
}

function bytesOf({ parts: { input, output, rest }, item_keys }: NewStoredResponse): number {
  return input.byteLength + output.byteLength + rest.byteLength + ROW_BYTES + item_keys.length * ITEM_BYTES;
}

const selectEnds = lookup("SELECT account_id, response_key, expires_ms FROM stored_responses", KEY);

interface EndRow {
  readonly account_id: string;
  readonly response_key: string;
  readonly expires_ms: unknown;
}

/**
 * Renews the earlier responses that these were built on, to somewhat more than their own lifetime: a conversation that
 * goes on needs them again. The extra time keeps the next turns from writing each row again.
 */
function* renew(responses: readonly NewStoredResponse[], now: number): Work<void> {
  const ends = new Map<string, number>();
  const used = new Map<string, Value[]>();
  for (const { account_id, used_keys, keep_ms } of responses) {
    for (const key of used_keys) {
      ends.set(pair(account_id, key), now + keep_ms);
      used.set(pair(account_id, key), [account_id, key]);
    }
  }
  const updates: Value[][] = [];
  for (const { account_id, response_key, expires_ms } of yield* rows<EndRow>(selectEnds, [...used.values()])) {
    const end = ends.get(pair(account_id, response_key)) ?? 0;
    // Rounded down, because the columns hold whole numbers.
    if (toInt(expires_ms) < end) updates.push([end + Math.floor((end - now) / 8), account_id, response_key]);
  }
  yield* rows(renewResponses, updates);
}

function itemRows(responses: readonly NewStoredResponse[]): Iterable<Value[]> {
  const items = new Map<string, Value[]>();
  for (const { account_id, item_keys, response_key } of responses) {
    for (const key of item_keys) items.set(pair(account_id, key), [account_id, key, response_key]);
  }
  return items.values();
}

const selectSum = sql("SELECT coalesce(sum(bytes), 0) AS bytes FROM stored_responses WHERE account_id = ?");
const selectOldest = sql(
  `SELECT response_key, bytes FROM stored_responses WHERE account_id = ?
    ORDER BY expires_ms, created_ms, response_key LIMIT ?`,
);

/** Deletes the responses that were unused for the longest time, until the rest fits the account's limit. */
function* makeRoom(account_id: string, account_bytes: number): Work<void> {
  let sum = toInt((yield* row<{ bytes: unknown }>(selectSum, [account_id]))?.bytes);
  while (sum > account_bytes) {
    const oldest = yield* rows<{ response_key: string; bytes: unknown }>(selectOldest, [account_id, STEP]);
    const going: Value[][] = [];
    for (const { response_key, bytes } of oldest) {
      if (sum <= account_bytes) break;
      sum -= toInt(bytes);
      going.push([account_id, response_key]);
    }
    if (going.length === 0) return;
    yield* rows(deleteResponses, going);
  }
}

const deleteResponse = sql(
  "DELETE FROM stored_responses WHERE account_id = ? AND response_key = ? RETURNING expires_ms",
);

/** Removes a response; false when there was none, or it had expired. */
export function* remove(account_id: string, response_key: string): Work<boolean> {
  const now = yield* now_ms();
  const removed = yield* row<{ expires_ms: unknown }>(deleteResponse, [account_id, response_key]);
  return removed !== null && toInt(removed.expires_ms) > now;
}

// The outer condition checks each row's expiry again: a response that was renewed meanwhile stays.
const deleteExpired = sql(
  `DELETE FROM stored_responses WHERE (account_id, response_key) IN
      (SELECT account_id, response_key FROM stored_responses WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)
    AND expires_ms <= ? RETURNING response_key`,
);

/** Removes at most `most` expired responses; returns how many. */
export function* removeExpired(most: number): Work<number> {
  const now = yield* now_ms();
  return (yield* rows(deleteExpired, [now, most, now])).length;
}

interface ResponseRow extends Partial<Record<ResponsePart, Uint8Array>> {
  readonly response_key: string;
  readonly parent_key: string | null;
  readonly expires_ms: unknown;
}

const selectParts = (parts: string) =>
  lookup(`SELECT response_key, parent_key, expires_ms, ${parts} FROM stored_responses`, KEY);
// Only the parts that are asked for are read, because an input may be large.
const selectOutputs = selectParts("output");
const selectItems = selectParts("input, output");
const selectAnswers = selectParts("output, rest");
const selectAll = selectParts("input, output, rest");

/** Responses by their keys, in no order, with at least the parts that are asked for. */
export function* find(
  account_id: string,
  response_keys: readonly string[],
  parts: readonly ResponsePart[],
): Work<StoredResponse[]> {
  const now = yield* now_ms();
  const with_rest = parts.includes("rest") ? selectAnswers : selectOutputs;
  const with_input = parts.includes("rest") ? selectAll : selectItems;
  const found = yield* rows<ResponseRow>(
    parts.includes("input") ? with_input : with_rest,
    response_keys.map((key) => [account_id, key]),
  );
  return found
    .filter(({ expires_ms }) => toInt(expires_ms) > now)
    .map(({ response_key, parent_key, expires_ms: _, ...read }) => ({ response_key, parent_key, parts: read }));
}

// The keys and sizes alone: the size of the contents is known before any content is read.
const selectChain = sql(
  `WITH RECURSIVE chain (response_key, parent_key, bytes, depth) AS (
      SELECT response_key, parent_key, bytes, 1 FROM stored_responses
        WHERE account_id = ? AND response_key = ? AND expires_ms > ?
      UNION ALL
      SELECT r.response_key, r.parent_key, r.bytes, c.depth + 1 FROM chain AS c
        JOIN stored_responses AS r ON r.account_id = ? AND r.response_key = c.parent_key AND r.expires_ms > ?
        WHERE c.depth < ?
    ) SELECT response_key, bytes FROM chain ORDER BY depth`,
);

/** A response and the responses that it continues, the newest first, up to `most` responses and `most_bytes` bytes. */
export function* chain(
  account_id: string,
  response_key: string,
  most: number,
  most_bytes: number,
): Work<StoredResponse[]> {
  const now = yield* now_ms();
  const keys = yield* rows<{ response_key: string; bytes: unknown }>(selectChain, [
    ...[account_id, response_key, now],
    ...[account_id, now, most],
  ]);
  const wanted = new Set<string>();
  let sum = 0;
  for (const { response_key: key, bytes } of keys) {
    sum += toInt(bytes);
    // The ids are the vendor's: repeated ids could form a ring.
    if (sum > most_bytes || wanted.has(key)) break;
    wanted.add(key);
  }
  const found = new Map(
    (yield* find(account_id, [...wanted], ["input", "output"])).map((each) => [each.response_key, each]),
  );
  return [...wanted].flatMap((key) => found.get(key) ?? []);
}

const selectPlaces = lookup("SELECT item_key, response_key FROM stored_items", {
  account_id: "text",
  item_key: "text",
});

/** The responses that items are in, by the items' keys, in no order. */
export function* findItems(account_id: string, item_keys: readonly string[]): Work<StoredItem[]> {
  const found = yield* rows<StoredItem>(
    selectPlaces,
    item_keys.map((key) => [account_id, key]),
  );
  return [...found];
}
