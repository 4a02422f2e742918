import type { ResponsePart, StoredItem, StoredResponse } from "../../core/answer/stored-responses.ts";
import { now_ms } from "../sql/clock.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toInt } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

interface ResponseRow extends Partial<Record<ResponsePart, Uint8Array>> {
  readonly response_key: string;
  readonly parent_key: string | null;
  readonly expires_ms: unknown;
}

const BY_KEY = { account_id: "text", response_key: "text" } as const;
const select = (parts: string) =>
  lookup(`SELECT response_key, parent_key, expires_ms, ${parts} FROM stored_responses`, BY_KEY);
// Only the parts that are asked for are read, because an input may be large.
const selectOutputs = select("output");
const selectItems = select("input, output");
const selectAnswers = select("output, rest");
const selectAll = select("input, output, rest");

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
