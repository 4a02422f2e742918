import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import type { SummedSpan } from "../../core/operations/upkeep.ts";
import { dayOf } from "../../limits/windows.ts";
import { SUM_TABLES } from "../schema/0001-usage.ts";
import { USAGE_COUNTS } from "../schema/column-types.ts";
import { now_ms } from "../sql/clock.ts";
import { type Statement, sql, type Value } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { knownSums } from "../sums/read-plan.ts";
import { SPANS_IN_NEXT, type Span, spansWithin, subSpans } from "../sums/span.ts";
import { dayOfPlace, finding } from "./finding.ts";

/** Sums of days that are over (docs/design/reports.md), against the days. */

/** More differences of one span are not listed one by one. */
const MOST_FINDINGS = 20;

export function* listSums({ first_day }: { readonly first_day: number }): Work<readonly SummedSpan[]> {
  const last = dayOf(yield* now_ms());
  const known = yield* knownSums("usage", { first: first_day, last });
  const [first] = known.days;
  if (first === undefined) return [];
  return spansWithin("usage", first, last).flatMap((span) => (known.isTrue(span) ? [{ kind: "usage", ...span }] : []));
}

type Table = "usage_key_sums" | "usage_model_sums";

/** The difference between rows and their sums, place by place: zero where the sums are right. */
function beyond(table: Table, source: string): Statement {
  const place = SUM_TABLES[table].place.join(", ");
  const minus = USAGE_COUNTS.map((name) => `-${name}`).join(", ");
  const sums = USAGE_COUNTS.map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`).join(", ");
  return sql(
    `SELECT ${place}, ${sums} FROM (
        SELECT ${place}, ${USAGE_COUNTS.join(", ")} FROM ${source}
        UNION ALL SELECT ${place}, ${minus} FROM ${table} WHERE size = ? AND first_day = ?) AS u
      GROUP BY ${place} HAVING ${USAGE_COUNTS.map((name) => `sum(${name}) <> 0`).join(" OR ")} ORDER BY ${place} LIMIT ${MOST_FINDINGS}`,
  );
}

const OF_DAY = "accounts AS a JOIN usage_days AS d ON d.account_id = a.id AND d.day = ?";
const ofParts = (table: Table): string =>
  `${table} WHERE size = ? AND first_day IN (${Array(SPANS_IN_NEXT).fill("?").join(", ")})`;
const BEYOND: Readonly<Record<Table, { readonly day: Statement; readonly parts: Statement }>> = {
  usage_key_sums: { day: beyond("usage_key_sums", OF_DAY), parts: beyond("usage_key_sums", ofParts("usage_key_sums")) },
  usage_model_sums: {
    day: beyond("usage_model_sums", OF_DAY),
    parts: beyond("usage_model_sums", ofParts("usage_model_sums")),
  },
};

type BeyondRow = Readonly<Record<"cost_micro" | "prompt_tokens" | "completion_tokens" | "ended_count", unknown>> & {
  readonly account_id?: string;
  readonly key_id?: string;
  readonly model?: string;
};

/** Compares the sums of a span with those of its parts, and of a day with its rows. Sums that are not read any more are passed over. */
export function* auditSums(span: SummedSpan): Work<AuditFinding[]> {
  const { size, first_day } = span;
  const known = yield* knownSums("usage", { first: first_day, last: first_day + size - 1 });
  const parts: readonly Span[] = size === 1 ? [] : subSpans(span);
  if (!known.isTrue(span) || !parts.every((part) => known.isTrue(part))) return [];
  const findings: AuditFinding[] = [];
  for (const table of ["usage_key_sums", "usage_model_sums"] as const) {
    const of: Value[] = size === 1 ? [first_day] : [size / SPANS_IN_NEXT, ...parts.map((part) => part.first_day)];
    const statement = BEYOND[table][size === 1 ? "day" : "parts"];
    for (const row of yield* rows<BeyondRow>(statement, [...of, size, first_day])) findings.push(differing(span, row));
  }
  return findings;
}

function differing({ size, first_day }: SummedSpan, row: BeyondRow): AuditFinding {
  const { account_id, key_id, model } = row;
  const place = {
    ...(account_id === undefined ? {} : { account_id }),
    ...(key_id === undefined ? {} : { key_id }),
    ...(model === undefined ? {} : { model }),
    day: dayOfPlace(first_day),
  };
  const days = size === 1 ? "the day" : `the ${size} days from this one on`;
  const missing = `${toMicro(row.cost_micro)} charged, ${toInt(row.prompt_tokens)} in, ${toInt(row.completion_tokens)} out, ${toInt(row.ended_count)} requests`;
  const values = { found: `sums that lack ${missing}`, expected: "sums of all" };
  return finding("usage", place, `the sums of ${days} are not what the usage adds up to`, values);
}
