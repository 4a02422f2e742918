import { ZERO } from "../../core/money/money.ts";
import { NO_UNITS, UNIT_COUNTS } from "../../core/money/price-classes.ts";
import type { UsageTotals } from "../../core/store/ports.ts";
import { USAGE_COUNTS } from "../schema/column-types.ts";
import { Sums } from "../sql/report.ts";
import type { Value } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { type Days, planRead } from "../sums/read-plan.ts";

/** The rows of usage that reports read, and the sums over them. */

export const SUMS = `CAST(sum(cost_micro) AS BIGINT) AS cost_micro, CAST(sum(prompt_tokens) AS BIGINT) AS prompt_tokens,
  CAST(sum(completion_tokens) AS BIGINT) AS completion_tokens,
  CAST(sum(ended_count + refused_count + replayed_count) AS BIGINT) AS request_count,
  CAST(sum(success_count + replayed_count) AS BIGINT) AS success_count,
  ${UNIT_COUNTS.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(", ")}`;

/** A table expression of usage, with the parameters of its text. */
export interface UsageRows {
  readonly text: string;
  readonly params: readonly Value[];
}

const PLACE = "account_id, day, key_id, model";

/**
 * Usage by project, in place of `usage_days`: the usage of projects, and as project "" the rest of the days' usage.
 * Each condition on account and day reaches the tables' indices.
 */
const BY_PROJECT = `(
    SELECT ${PLACE}, project_id, ${USAGE_COUNTS.join(", ")} FROM usage_projects
    UNION ALL SELECT ${PLACE}, '', ${USAGE_COUNTS.join(", ")} FROM usage_days
    UNION ALL SELECT ${PLACE}, '', ${USAGE_COUNTS.map((name) => `-${name}`).join(", ")} FROM usage_projects
  )`;

const COLUMNS = `${PLACE}, {project}${USAGE_COUNTS.join(", ")}`;
const NEGATIVE = `${PLACE}, {project}${USAGE_COUNTS.map((name) => `-${name} AS ${name}`).join(", ")}`;

/**
 * Usage with the column `tag`: the value of the tag that a request carried, else the value that its key has now, else "". What requests
 * carried is taken off what their keys' days have, so each request is counted under one value, and groups of a tag add up to the whole.
 */
const BY_TAG = `(
    SELECT ${COLUMNS}, value AS tag FROM usage_tags WHERE name = ?
    UNION ALL SELECT {of_key}, coalesce(t.value, '') AS tag FROM (
        SELECT ${COLUMNS} FROM {from} AS days
        UNION ALL SELECT ${NEGATIVE} FROM usage_tags WHERE name = ?
      ) AS u LEFT JOIN key_tags AS t ON t.key_id = u.key_id AND t.name = ?
  )`;

/**
 * The rows of usage: by project where that is asked for, and with the column `tag` where a tag is named.
 */
export function usageSource(by_project: boolean, tag: string | undefined): UsageRows {
  const from = by_project ? BY_PROJECT : "usage_days";
  if (tag === undefined) return { text: `${from} AS u`, params: [] };
  const project = by_project ? ["project_id"] : [];
  const of_key = [...PLACE.split(", "), ...project, ...USAGE_COUNTS].map((name) => `u.${name} AS ${name}`).join(", ");
  const tagged = BY_TAG.replaceAll("{project}", by_project ? "project_id, " : "")
    .replace("{of_key}", of_key)
    .replace("{from}", from);
  return { text: `${tagged} AS by_tag`, params: [tag, tag, tag] };
}

export const USAGE = new Sums<UsageTotals>({
  cost_micro: ZERO,
  prompt_tokens: 0,
  completion_tokens: 0,
  request_count: 0,
  success_count: 0,
  ...NO_UNITS,
});

export type UsageSumRow = Readonly<Record<keyof UsageTotals, unknown>>;

/** The grouping of rows of usage: by account and key, by model, or by one of the two for each day. */
export type UsageBy = "key" | "key_day" | "model" | "day";

const counts = (of: string): string => USAGE_COUNTS.map((name) => `${of}.${name} AS ${name}`).join(", ");

const OF_ALL = {
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
  const { table, sums, days } = OF_ALL[by];
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
