import { MS_PER_DAY } from "../../core/clock.ts";
import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { now_ms } from "../sql/clock.ts";
import { amount, int, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { AUDITED_SUM, auditKeptSum } from "./audit-kept-sum.ts";
import type { AccountRange } from "./audit-rules.ts";
import { DAY_CLEARED, DAY_COLUMNS, DAY_RECOUNTED, DAY_SUMS, endedCounts, inBoth } from "./day-counts.ts";
import { finding } from "./finding.ts";

const AUDITED_PROJECT = {
  id: text,
  account_id: text,
  open_count: int,
  held_micro: amount,
  open_now: int,
  held_now: amount,
  ...AUDITED_SUM,
} as const;
/** The counts under the limits of projects, beside their open requests and their days (docs/design/tags-and-projects.md). */
const selectCounts = sql(
  `WITH running AS MATERIALIZED (SELECT project_id, hold_micro FROM requests WHERE status = 'held' AND project_id IS NOT NULL)
    SELECT p.id, p.account_id, p.open_count, p.held_micro, p.spent_window, p.spent_start_day, p.spent_micro, a.time_zone,
      (SELECT count(*) FROM running AS r WHERE r.project_id = p.id) AS open_now,
      CAST(coalesce((SELECT sum(r.hold_micro) FROM running AS r WHERE r.project_id = p.id), 0) AS BIGINT) AS held_now,
      CAST(coalesce((SELECT sum(u.cost_micro) FROM usage_projects AS u
        WHERE u.account_id = p.account_id AND u.project_id = p.id AND u.day >= p.spent_start_day), 0) AS BIGINT) AS spent_now
    FROM projects AS p JOIN accounts AS a ON a.id = p.account_id WHERE p.account_id BETWEEN ? AND ?`,
);

export function* auditProjects(range: AccountRange): Work<AuditFinding[]> {
  const projects = yield* readRows(AUDITED_PROJECT, selectCounts, range);
  const now = yield* now_ms();
  const findings: AuditFinding[] = [];
  for (const { id: project_id, account_id, open_count, held_micro, open_now, held_now, ...kept } of projects) {
    const found = `${open_count} open, ${held_micro} held`;
    const expected = `${open_now} open, ${held_now} held`;
    const problem = `the open requests of the project ${project_id} and their holds are not its requests'`;
    if (found !== expected) findings.push(finding("key", { account_id }, problem, { found, expected }));
    findings.push(...(yield* auditKeptSum(`the project ${project_id}`, { account_id, project_id }, kept, now)));
  }
  return findings;
}

/** Counts an account's requests of projects that ended on a day, with the changes by late ends. */
const insertDay = inBoth(
  (dialect) => `INSERT INTO usage_projects (project_id, account_id, day, key_id, model, ${DAY_COLUMNS})
    SELECT project_id, CAST(? AS TEXT), CAST(? AS BIGINT), key_id, model, ${DAY_SUMS}
    FROM (SELECT r.project_id, r.key_id, t.text AS model, ${endedCounts(dialect)}
      FROM requests AS r LEFT JOIN late_settlements AS l ON l.request_id = r.id
        LEFT JOIN texts AS t ON t.no = r.model_no
      WHERE r.account_id = ? AND r.project_id IS NOT NULL AND r.ended_ms >= ? AND r.ended_ms < ?) AS ended
    GROUP BY project_id, key_id, model
    ON CONFLICT (account_id, project_id, day, key_id, model) DO UPDATE SET ${DAY_RECOUNTED}`,
);
const clearDay = sql(`UPDATE usage_projects SET ${DAY_CLEARED} WHERE account_id = ? AND day = ?`);

/** Counts a day of an account's projects anew from the requests; refusals and replays stay as they were counted. */
export function* rebuildProjectDay(account_id: string, day: number): Work<void> {
  yield* rows(clearDay, [account_id, day]);
  yield* rows(insertDay, [account_id, day, account_id, day * MS_PER_DAY, (day + 1) * MS_PER_DAY]);
}

const recount = sql(
  `UPDATE projects SET spent_window = NULL, spent_start_day = NULL,
      open_count = (SELECT count(*) FROM requests AS r WHERE r.project_id = projects.id AND r.account_id = projects.account_id AND r.status = 'held'),
      held_micro = (SELECT CAST(coalesce(sum(r.hold_micro), 0) AS BIGINT) FROM requests AS r
        WHERE r.project_id = projects.id AND r.account_id = projects.account_id AND r.status = 'held')
    WHERE account_id = ?`,
);

/** Counts the open requests of an account's projects anew; the next admission makes the sums of their windows anew. */
export function* rebuildProjects(account_id: string): Work<void> {
  yield* rows(recount, [account_id]);
}
