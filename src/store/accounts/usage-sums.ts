import { ZERO } from "../../core/money/money.ts";
import { NO_UNITS, UNIT_COUNTS } from "../../core/money/price-classes.ts";
import type { UsageTotals } from "../../core/store/ports.ts";
import { USAGE_COUNTS } from "../schema/column-types.ts";
import { Sums } from "../sql/report.ts";

/** Sums over rows of `usage_days`. */

export const SUMS = `CAST(sum(cost_micro) AS BIGINT) AS cost_micro, CAST(sum(prompt_tokens) AS BIGINT) AS prompt_tokens,
  CAST(sum(completion_tokens) AS BIGINT) AS completion_tokens,
  CAST(sum(ended_count + refused_count + replayed_count) AS BIGINT) AS request_count,
  CAST(sum(success_count + replayed_count) AS BIGINT) AS success_count,
  ${UNIT_COUNTS.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(", ")}`;

const COUNTS = USAGE_COUNTS;
const PLACE = "account_id, day, key_id, model";

/**
 * Usage by project, in place of `usage_days`: the usage of projects, and as project "" the rest of the days' usage.
 * Each condition on account and day reaches the tables' indices.
 */
const BY_PROJECT = `(
    SELECT ${PLACE}, project_id, ${COUNTS.join(", ")} FROM usage_projects
    UNION ALL SELECT ${PLACE}, '', ${COUNTS.join(", ")} FROM usage_days
    UNION ALL SELECT ${PLACE}, '', ${COUNTS.map((name) => `-${name}`).join(", ")} FROM usage_projects
  )`;

/** A table expression of usage, with the parameters of its text. */
interface UsageSource {
  readonly text: string;
  readonly params: readonly string[];
}

const COLUMNS = `${PLACE}, {project}${COUNTS.join(", ")}`;
const NEGATIVE = `${PLACE}, {project}${COUNTS.map((name) => `-${name} AS ${name}`).join(", ")}`;

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
export function usageSource(by_project: boolean, tag: string | undefined): UsageSource {
  const from = by_project ? BY_PROJECT : "usage_days";
  if (tag === undefined) return { text: `${from} AS u`, params: [] };
  const project = by_project ? ["project_id"] : [];
  const of_key = [...PLACE.split(", "), ...project, ...COUNTS].map((name) => `u.${name} AS ${name}`).join(", ");
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
