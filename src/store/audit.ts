import type { AuditReport } from "../core/ports.ts";
import { TOP_UP_ACTOR } from "../ledger/books/top-up.ts";
import { openIncidents } from "./incidents.ts";
import { type Statement, sql } from "./sql/statement.ts";
import { row, rows, type Work } from "./sql/work.ts";

interface Check {
  /** What is wrong with the rows found, as a sentence about `{what}`. */
  readonly problem: string;
  readonly statement: Statement;
}

const MS_PER_DAY = 86_400_000;

/** Each finds what does not match: an id, what is written (`found`) and what was recomputed (`expected`). */
const CHECKS: readonly Check[] = [
  {
    problem: "balance and holds are not the sum of the entries",
    statement: sql(
      `SELECT a.id AS what, a.balance_micro + a.held_micro AS found, coalesce(e.total, 0) AS expected
        FROM accounts AS a LEFT JOIN
          (SELECT account_id, CAST(sum(amount_micro) AS BIGINT) AS total, count(*) AS entries FROM entries GROUP BY account_id)
          AS e ON e.account_id = a.id
        WHERE a.balance_micro + a.held_micro <> coalesce(e.total, 0) OR a.entry_count <> coalesce(e.entries, 0)`,
    ),
  },
  {
    problem: "held is not the sum of the open holds",
    statement: sql(
      `SELECT a.id AS what, a.held_micro AS found, coalesce(r.total, 0) AS expected
        FROM accounts AS a LEFT JOIN
          (SELECT account_id, CAST(sum(hold_micro) AS BIGINT) AS total FROM requests WHERE status = 'held' GROUP BY account_id)
          AS r ON r.account_id = a.id
        WHERE a.held_micro <> coalesce(r.total, 0)`,
    ),
  },
  {
    problem: "the key's open requests and their holds do not match its requests",
    statement: sql(
      `SELECT s.key_id AS what, s.held_micro AS found, coalesce(r.total, 0) AS expected
        FROM key_state AS s LEFT JOIN
          (SELECT key_id, CAST(sum(hold_micro) AS BIGINT) AS total, count(*) AS open FROM requests
            WHERE status = 'held' GROUP BY key_id) AS r ON r.key_id = s.key_id
        WHERE s.held_micro <> coalesce(r.total, 0) OR s.open_count <> coalesce(r.open, 0)`,
    ),
  },
  {
    problem: "the sums of the entries do not chain",
    statement: sql(
      `SELECT account_id AS what, posted_after_micro AS found, running AS expected FROM
        (SELECT account_id, posted_after_micro,
          CAST(sum(amount_micro) OVER (PARTITION BY account_id ORDER BY seq) AS BIGINT) AS running FROM entries) AS e
        WHERE posted_after_micro <> running`,
    ),
  },
  {
    problem: "the charge is not the one entry of the request",
    statement: sql(
      `SELECT r.id AS what, r.charge_micro AS found, coalesce(e.total, 0) AS expected
        FROM requests AS r LEFT JOIN
          (SELECT request_id, CAST(-sum(amount_micro) AS BIGINT) AS total, count(*) AS entries FROM entries
            WHERE kind = 'charge' GROUP BY request_id) AS e ON e.request_id = r.id
        WHERE r.charge_micro <> coalesce(e.total, 0) OR coalesce(e.entries, 0) > 1`,
    ),
  },
  {
    problem: "an entry charges for a request that does not exist",
    statement: sql(
      `SELECT e.request_id AS what, e.amount_micro AS found, 0 AS expected
        FROM entries AS e LEFT JOIN requests AS r ON r.id = e.request_id AND r.account_id = e.account_id
        WHERE e.kind = 'charge' AND r.id IS NULL`,
    ),
  },
  {
    problem: "the month's automatic top-ups are not those of the entries",
    statement: sql(
      `SELECT t.account_id AS what, t.month_used_micro AS found, coalesce(e.total, 0) AS expected
        FROM auto_top_ups AS t LEFT JOIN
          (SELECT t.account_id, CAST(sum(e.amount_micro) AS BIGINT) AS total
            FROM auto_top_ups AS t JOIN entries AS e ON e.account_id = t.account_id AND e.kind = 'credit'
              AND e.actor = '${TOP_UP_ACTOR}' AND e.created_ms >= t.month_start_day * ${MS_PER_DAY}
            GROUP BY t.account_id) AS e ON e.account_id = t.account_id
        WHERE t.month_used_micro <> coalesce(e.total, 0)`,
    ),
  },
  {
    problem: "the day's usage is not what its requests add up to",
    statement: sql(usageCheck()),
  },
];

/** Usage by day, rebuilt from the requests, where it differs from what was counted. */
function usageCheck(): string {
  const names = ["cost_micro", "prompt_tokens", "completion_tokens", "ended_count", "success_count"];
  const rebuilt = `SELECT account_id, key_id, model, ended_ms / ${MS_PER_DAY} AS day,
      CAST(sum(charge_micro) AS BIGINT) AS cost_micro,
      CAST(sum(coalesce(input_tokens + cache_read_tokens + cache_write_tokens, 0)) AS BIGINT) AS prompt_tokens,
      CAST(sum(coalesce(output_tokens, 0)) AS BIGINT) AS completion_tokens,
      count(*) AS ended_count, CAST(sum(success) AS BIGINT) AS success_count
    FROM requests WHERE status <> 'held' GROUP BY account_id, key_id, model, ended_ms / ${MS_PER_DAY}`;
  const differs = names.map((name) => `coalesce(u.${name}, 0) <> coalesce(r.${name}, 0)`).join(" OR ");
  return `SELECT coalesce(u.key_id, r.key_id) AS what, coalesce(u.cost_micro, 0) AS found,
      coalesce(r.cost_micro, 0) AS expected
    FROM usage_days AS u FULL JOIN (${rebuilt}) AS r
      ON r.account_id = u.account_id AND r.key_id = u.key_id AND r.model = u.model AND r.day = u.day
    WHERE ${differs}`;
}

/** More open incidents than this are not listed one by one. */
const LISTED_INCIDENTS = 100;

const countAccounts = sql("SELECT count(*) AS accounts FROM accounts");

/** Recomputes the books from the entries and the requests. Reads everything: for operators and tests. */
export function* audit(): Work<AuditReport> {
  const problems: string[] = [];
  for (const { problem, statement } of CHECKS) {
    for (const { what, found, expected } of yield* rows<Record<"what" | "found" | "expected", unknown>>(statement)) {
      problems.push(`${String(what)}: ${problem} (found ${String(found)}, expected ${String(expected)})`);
    }
  }
  for (const { id, at_ms, kind, detail } of yield* openIncidents(LISTED_INCIDENTS)) {
    problems.push(`incident ${id} (${kind}) of ${new Date(at_ms).toISOString()} is open: ${detail}`);
  }
  const counted = yield* row<{ accounts: unknown }>(countAccounts);
  return { accounts: Number(counted?.accounts ?? 0), problems };
}
