import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { add, type Micro, ZERO } from "../../core/money/money.ts";
import { readRules } from "../../ledger/books/counted-rules.ts";
import { ruleId } from "../../ledger/books/working-set.ts";
import { amount, int, readRows, text } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/** Counts under rules of limits beside the open requests that name them (docs/rulings.md 177). Open requests are few, and have an index. */
const selectHeld = sql(
  `WITH running AS MATERIALIZED (SELECT account_id, rules, hold_micro FROM requests WHERE status = 'held' AND rules IS NOT NULL)
    SELECT account_id, rules, hold_micro FROM running WHERE account_id BETWEEN ? AND ?`,
);
const selectCounts = sql(
  `SELECT account_id, rule, value, open_count, held_micro FROM limit_counts
    WHERE account_id BETWEEN ? AND ? AND (open_count <> 0 OR held_micro <> 0)`,
);

const HELD = { account_id: text, rules: text, hold_micro: amount } as const;
const COUNTS = { account_id: text, rule: text, value: text, open_count: int, held_micro: amount } as const;

interface Open {
  readonly place: readonly [account_id: string, rule: string, value: string];
  count: number;
  held_micro: Micro;
}

/** The first and the last account of a page, whose ids are between them. */
export type AccountRange = readonly [first: string, last: string];

function* openByRule(range: AccountRange): Work<Map<string, Open>> {
  const open = new Map<string, Open>();
  for (const { account_id, rules, hold_micro } of yield* readRows(HELD, selectHeld, range))
    for (const [rule, value] of readRules(rules)) {
      const id = ruleId(account_id, rule, value);
      const one = open.get(id) ?? { place: [account_id, rule, value], count: 0, held_micro: ZERO };
      one.count += 1;
      one.held_micro = add(one.held_micro, hold_micro);
      open.set(id, one);
    }
  return open;
}

export function* auditRules(range: AccountRange): Work<AuditFinding[]> {
  const open = yield* openByRule(range);
  const counts = yield* readRows(COUNTS, selectCounts, range);
  const found = new Map(counts.map((row) => [ruleId(row.account_id, row.rule, row.value), row]));
  const findings: AuditFinding[] = [];
  for (const id of new Set([...open.keys(), ...found.keys()])) {
    const row = found.get(id);
    const of_requests = open.get(id);
    const values = {
      found: `${row?.open_count ?? 0} open, ${row?.held_micro ?? 0} held`,
      expected: `${of_requests?.count ?? 0} open, ${of_requests?.held_micro ?? 0} held`,
    };
    if (values.found === values.expected) continue;
    const [account_id, rule, value] = of_requests?.place ?? [row?.account_id ?? "", row?.rule ?? "", row?.value ?? ""];
    const name = value === "" ? rule : `${rule} (${value})`;
    findings.push(
      finding("key", { account_id }, `the open requests under the limit '${name}' are not its requests'`, values),
    );
  }
  return findings;
}

const clearCounts = sql(
  "UPDATE limit_counts SET open_count = 0, held_micro = 0 WHERE account_id = ? AND (open_count <> 0 OR held_micro <> 0)",
);
const setCounts = sql(
  `INSERT INTO limit_counts (account_id, rule, value, open_count, held_micro, spent_micro, used_ms) VALUES (?, ?, ?, ?, ?, 0, 0)
    ON CONFLICT (account_id, rule, value) DO UPDATE SET open_count = excluded.open_count, held_micro = excluded.held_micro`,
);

/** Counts the open requests under an account's rules anew. */
export function* rebuildRules(account_id: string): Work<void> {
  const open = yield* openByRule([account_id, account_id]);
  yield* rows(clearCounts, [account_id]);
  for (const { place, count, held_micro } of open.values()) yield* rows(setCounts, [...place, count, held_micro]);
}
