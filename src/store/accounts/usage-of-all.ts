import { USAGE_COUNTS } from "../schema/column-types.ts";
import type { Value } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { type Days, planRead } from "../sums/read-plan.ts";

/** The grouping of rows of usage: by account and key, by model, or by one of the two for each day. */
export type UsageBy = "key" | "key_day" | "model" | "day";

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
 * The usage of all accounts on some days, from sums where days are past (docs/design/reports.md) and from rows for the others. Grouped by
 * key, `u` has no `model`; by model no key; only by day it has a `day`.
 */
export function* usageOfAll(by: UsageBy, within: Days): Work<UsageRows> {
  const { spans, rest } = yield* planRead("usage", within, by === "day" || by === "key_day" ? 1 : undefined);
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

/** The grouping of rows of usage by tag, beside the tag's values. */
export type UsageByTag = "tag" | "tag_day" | "key";

const TAG_PLACES = {
  tag: { place: [], by: "key" },
  tag_day: { place: ["day"], by: "key_day" },
  key: { place: ["account_id", "key_id"], by: "key" },
} as const satisfies Record<UsageByTag, { place: readonly string[]; by: UsageBy }>;

/** A tag's name, and one of its values where only this value is asked for; "" for usage without the tag. */
interface AskedTag {
  readonly name: string;
  readonly value: string | undefined;
}

/**
 * As `usageOfAll`, with the column `tag` (docs/design/tags-and-projects.md): the value that requests carried is read from their own rows, which are taken off
 * what their keys have together. So each request is counted under one value, as where the days' rows are read. The requests' rows, which may be
 * as many as the days', are read once and summed up by both values, the carried one and their key's; the keys' rows are summed up by themselves.
 */
export function* usageOfAllByTag(by: UsageByTag, { name, value }: AskedTag, within: Days): Work<UsageRows> {
  const { place, by: keys_by } = TAG_PLACES[by];
  const { text, params } = yield* usageOfAll(keys_by, within);
  const only = value === undefined ? [] : [value];
  const and = (condition: string): string => (value === undefined ? "" : ` AND ${condition}`);
  const columns = (of: string): string => place.map((column) => `${of}.${column}, `).join("");
  const sums = (of: string): string =>
    USAGE_COUNTS.map((count) => `CAST(sum(${of}.${count}) AS BIGINT) AS ${count}`).join(", ");
  const counted = (sign: "" | "-"): string => USAGE_COUNTS.map((count) => `${sign}c.${count} AS ${count}`).join(", ");
  // The condition on a key's value is written so that SQLite does not read all keys of the value for each row.
  const carried = `SELECT ${columns("u")}u.value AS value, ${KEY_VALUE} AS of_key, ${sums("u")}
    FROM usage_tags AS u ${KEY_TAG} WHERE u.name = ? AND u.day >= ? AND u.day <= ?${and(`(u.value = ? OR ${KEY_VALUE} = ?)`)}
    GROUP BY ${columns("u")}u.value, ${KEY_VALUE}`;
  const parts = [
    `SELECT ${columns("c")}c.value AS tag, ${counted("")} FROM carried AS c WHERE TRUE${and("c.value = ?")}`,
    `SELECT ${columns("c")}c.of_key AS tag, ${counted("-")} FROM carried AS c WHERE TRUE${and("c.of_key = ?")}`,
    `SELECT ${columns("u")}${KEY_VALUE} AS tag, ${sums("u")} FROM ${text} ${KEY_TAG} WHERE TRUE${and(`${KEY_VALUE} = ?`)}
      GROUP BY ${columns("u")}${KEY_VALUE}`,
  ];
  const of_carried = [name, name, within.first, within.last, ...only, ...only];
  return {
    text: `(WITH carried AS MATERIALIZED (${carried}) ${parts.join(" UNION ALL ")}) AS by_tag`,
    params: [...of_carried, ...only, ...only, ...params, name, ...only],
  };
}

/** The tag that the key of a row `u` has now. */
const KEY_TAG = "LEFT JOIN key_tags AS t ON t.name = ? AND t.key_id = u.key_id";
const KEY_VALUE = "coalesce(t.value, '')";
