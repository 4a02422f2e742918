import { MS_PER_DAY } from "../../core/clock.ts";
import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { type ReadRow, readRows, text } from "../sql/columns.ts";
import { type Dialect, type Statement, sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { DAY_CLEARED, DAY_COLUMNS, DAY_COUNTS, DAY_RECOUNTED, DAY_SUMS, endedCounts, inBoth } from "./day-counts.ts";
import { dayOfPlace, finding } from "./finding.ts";
import { admittedFor, describeCount, differingCounts } from "./recount-day.ts";

/** Compares the counts of the tags that requests carry with the requests (docs/design/tags-and-projects.md). */

const PLACE = "name, value, key_id, model, project_id";
const TAGGED = { name: text, value: text, key_id: text, model: text, project_id: text, ...DAY_COUNTS } as const;

/** The requests with tags of an account that ended on a day, once for each tag, with the changes by late ends. */
function ended(dialect: Dialect): string {
  const [each_tag, name] = EACH_TAG[dialect];
  return `SELECT ${name} AS name, g.value, r.key_id, t.text AS model, coalesce(r.project_id, '') AS project_id,
      ${endedCounts(dialect)}
    FROM requests AS r LEFT JOIN late_settlements AS l ON l.request_id = r.id
      LEFT JOIN texts AS t ON t.no = r.model_no ${each_tag}
    WHERE r.tags IS NOT NULL AND r.account_id = ? AND r.created_ms >= ? AND r.created_ms < ? AND r.ended_ms >= ? AND r.ended_ms < ?`;
}

/** The tags of a request, joined to it, and the column of their names. */
const EACH_TAG: Readonly<Record<Dialect, readonly [join: string, name: string]>> = {
  sqlite: ["CROSS JOIN json_each(coalesce(r.tags_counted, r.tags)) AS g", "g.key"],
  postgres: ["CROSS JOIN LATERAL json_each_text(coalesce(r.tags_counted, r.tags)::json) AS g (name, value)", "g.name"],
};

function withRecount(textOf: (recount: string) => string): Statement {
  return inBoth((dialect) =>
    textOf(`SELECT ${PLACE}, ${DAY_SUMS} FROM (${ended(dialect)}) AS ended GROUP BY ${PLACE}`),
  );
}

const recount = withRecount((select) => select);
const selectCounted = sql(`SELECT ${PLACE}, ${DAY_COLUMNS} FROM usage_tags WHERE account_id = ? AND day = ?`);

type TagCount = ReadRow<typeof TAGGED>;

/** Compares a day's usage by requests' tags with the requests. */
export function* auditTags(account_id: string, day: number): Work<AuditFinding[]> {
  const counted = byPlace(yield* readRows(TAGGED, selectCounted, [account_id, day]));
  const ended = [day * MS_PER_DAY, (day + 1) * MS_PER_DAY];
  const differing = yield* differingCounts(counted, function* (reach) {
    return byPlace(yield* readRows(TAGGED, recount, [account_id, ...admittedFor(day, reach), ...ended]));
  });
  return differing.map(({ found, expected }) => {
    const { name, value, key_id, model } = found ?? expected ?? NOWHERE;
    const problem = `the day's usage by the tag ${name}=${value} of requests is not what they add up to`;
    const values = { found: describeCount(found), expected: describeCount(expected) };
    return finding("usage", { account_id, key_id, model, day: dayOfPlace(day) }, problem, values);
  });
}

const NOWHERE = { name: "", value: "", key_id: "", model: "" } as const;

function byPlace(found: readonly TagCount[]): Map<string, TagCount> {
  return new Map(
    found.map((count) => {
      const { name, value, key_id, model, project_id } = count;
      return [JSON.stringify([name, value, key_id, model, project_id]), count];
    }),
  );
}

const insertDay = withRecount(
  (select) => `INSERT INTO usage_tags (account_id, day, ${PLACE}, ${DAY_COLUMNS})
    SELECT CAST(? AS TEXT), CAST(? AS BIGINT), ${PLACE}, ${DAY_COLUMNS} FROM (${select}) AS counted WHERE ended_count > 0
    ON CONFLICT (account_id, name, day, value, key_id, model, project_id) DO UPDATE SET ${DAY_RECOUNTED}`,
);
const clearDay = sql(`UPDATE usage_tags SET ${DAY_CLEARED} WHERE account_id = ? AND day = ?`);

/** Counts a day of an account's tagged requests anew; refusals and replays stay as they were counted. */
export function* rebuildTagDay(account_id: string, day: number): Work<void> {
  yield* rows(clearDay, [account_id, day]);
  yield* rows(insertDay, [
    account_id,
    day,
    account_id,
    ...admittedFor(day, "all"),
    day * MS_PER_DAY,
    (day + 1) * MS_PER_DAY,
  ]);
}
