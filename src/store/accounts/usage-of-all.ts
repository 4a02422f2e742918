import { USAGE_COUNTS } from "../schema/0032-sums-of-days.ts";
import type { Value } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { coverOf, type Days } from "../sums/cover.ts";

/** What rows of usage are told apart by: accounts and keys, models, or one of the two for each day. */
export type UsageBy = "key" | "key_day" | "model" | "day";

/** Rows of usage, with the parameters of their text. */
export interface UsageRows {
  readonly text: string;
  readonly params: readonly Value[];
}

const counts = (of: string): string => USAGE_COUNTS.map((name) => `${of}.${name} AS ${name}`).join(", ");

const COLUMNS = {
  key: { table: "usage_key_sums", sums: "s.account_id, s.key_id", days: "u.account_id, u.key_id" },
  key_day: {
    table: "usage_key_sums",
    sums: "s.first_day AS day, s.account_id, s.key_id",
    days: "u.day, u.account_id, u.key_id",
  },
  model: { table: "usage_model_sums", sums: "s.model", days: "u.model" },
  day: { table: "usage_model_sums", sums: "s.first_day AS day, s.model", days: "u.day, u.model" },
} as const satisfies Record<UsageBy, unknown>;

/**
 * The usage of all accounts on some days, from sums of those that are over (docs/adr/0059) and from the rows of the others. By key, `u` has
 * no `model`; by model it has no key; only by day it has a `day`.
 */
export function* usageOfAll(by: UsageBy, within: Days): Work<UsageRows> {
  const { spans, rest } = yield* coverOf("usage", within, by === "day" || by === "key_day" ? 1 : undefined);
  const { table, sums, days } = COLUMNS[by];
  return {
    text: `(
      SELECT ${sums}, ${counts("s")} FROM {pairs} AS p {then} ${table} AS s ON s.size = p.a AND s.first_day = p.b
      UNION ALL SELECT ${days}, ${counts("u")} FROM {pairs} AS p {days} u.day >= p.a AND u.day <= p.b) AS u`,
    params: [
      JSON.stringify(spans.map(({ size, first_day }) => [size, first_day])),
      JSON.stringify(rest.map(({ first, last }) => [first, last])),
    ],
  };
}

const PLACES = { key: ["account_id", "key_id"], key_day: ["day", "account_id", "key_id"] } as const;

/**
 * As `usageOfAll`, with the column `tag` (docs/adr/0054): the value that requests carried is read from their own rows, which are taken off
 * what their keys have together. So each request is counted under one value, as where the days' rows are read.
 */
export function* usageOfAllByTag(by: "key" | "key_day", tag: string, within: Days): Work<UsageRows> {
  const { text, params } = yield* usageOfAll(by, within);
  const place = PLACES[by].join(", ");
  const of_key = PLACES[by].map((name) => `k.${name} AS ${name}`).join(", ");
  const carried = `FROM usage_tags AS c WHERE c.name = ? AND c.day >= ? AND c.day <= ?`;
  const asked = [tag, within.first, within.last];
  return {
    text: `(
      SELECT ${place}, ${counts("c")}, c.value AS tag ${carried}
      UNION ALL SELECT ${of_key}, ${counts("k")}, coalesce(t.value, '') AS tag FROM (
        SELECT ${place}, ${counts("u")} FROM ${text}
        UNION ALL SELECT ${place}, ${USAGE_COUNTS.map((name) => `-c.${name} AS ${name}`).join(", ")} ${carried}
      ) AS k LEFT JOIN key_tags AS t ON t.key_id = k.key_id AND t.name = ?) AS by_tag`,
    params: [...asked, ...params, ...asked, tag],
  };
}
