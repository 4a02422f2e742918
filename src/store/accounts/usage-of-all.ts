import { USAGE_COUNTS } from "../schema/0032-sums-of-days.ts";
import type { Value } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { coverOf, type Days } from "../sums/cover.ts";

/** What rows of usage are told apart by: accounts and keys, models, or days and models. */
export type UsageBy = "key" | "model" | "day";

/** Rows of usage `u`, with the parameters of their text. */
export interface UsageRows {
  readonly text: string;
  readonly params: readonly Value[];
}

const counts = (of: string): string => USAGE_COUNTS.map((name) => `${of}.${name} AS ${name}`).join(", ");

const COLUMNS = {
  key: { table: "usage_key_sums", sums: "s.account_id, s.key_id", days: "u.account_id, u.key_id" },
  model: { table: "usage_model_sums", sums: "s.model", days: "u.model" },
  day: { table: "usage_model_sums", sums: "s.first_day AS day, s.model", days: "u.day, u.model" },
} as const satisfies Record<UsageBy, unknown>;

/**
 * The usage of all accounts on some days, from sums of those that are over (docs/adr/0059) and from the rows of the others. By key, `u` has
 * no `day` and no `model`; by model it has no `day`; by day it has no key.
 */
export function* usageOfAll(by: UsageBy, within: Days): Work<UsageRows> {
  const { spans, rest } = yield* coverOf("usage", within, by === "day" ? 1 : undefined);
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
