import { MS_PER_DAY } from "../../core/clock.ts";
import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { readRules } from "../../ledger/books/counted-rules.ts";
import { ruleId } from "../../ledger/books/working-set.ts";
import { amount, int, readRows, text } from "../sql/columns.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toIntOrNull, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/**
 * What rules of limits have spent, beside the charges of the requests that name them (docs/rulings.md 177). A rule's sum has every charge since the moment
 * at which it began (`spent_from_ms`), so days, windows and time zones are no part of this. The audit's walk through an account's requests adds
 * up what has ended; at its end, one moment has the sums, and what was open or came meanwhile.
 */

/** How many sums of an account are looked at, those that were used last: the memory of an audit is bounded. */
const SUMS_AT_MOST = 20_000;
/** No request runs as long as this: one that ended since a sum began was admitted at most as long before. */
const LONGEST_MS = 7 * MS_PER_DAY;

export interface RuledRequest {
  readonly id: string;
  readonly rules: string;
  /** Null while it runs. */
  readonly ended_ms: number | null;
  readonly charge_micro: bigint;
}

interface RuleSum {
  readonly rule: string;
  readonly value: string;
  readonly from_ms: number;
  readonly spent_micro: bigint;
}

/** What a late end added to a sum, or took from it. */
interface LateChange {
  readonly rules: string;
  readonly booked_ms: number;
  readonly difference_micro: bigint;
}

export interface RuleTail {
  readonly sums: readonly RuleSum[];
  /** The requests that were open in the walk, and those that were admitted after its last. */
  readonly requests: readonly RuledRequest[];
  readonly late: readonly LateChange[];
}

export interface RuleTailAsked {
  readonly account_id: string;
  readonly after: { readonly created_ms: number; readonly seq: number };
  readonly open_ids: readonly string[];
}

const SUM = { rule: text, value: text, from_ms: int, spent_micro: amount } as const;
const selectSums = sql(
  `SELECT rule, value, spent_from_ms AS from_ms, spent_micro FROM limit_counts
    WHERE account_id = ? AND spent_window IS NOT NULL ORDER BY used_ms DESC LIMIT ${SUMS_AT_MOST}`,
);
const RULED = "SELECT id, rules, ended_ms, charge_micro FROM requests";
const selectOpen = lookup(RULED, { account_id: "text", id: "text" });
const selectLater = sql(`${RULED} WHERE account_id = ? AND (created_ms, seq) > (?, ?) AND rules IS NOT NULL`);
const LATE = { rules: text, booked_ms: int, difference_micro: amount } as const;
const selectLate = sql(
  `SELECT r.rules, l.booked_ms, l.difference_micro FROM late_settlements AS l JOIN requests AS r ON r.id = l.request_id
    WHERE l.account_id = ? AND r.account_id = l.account_id AND r.rules IS NOT NULL`,
);

interface RuledRow {
  readonly id: string;
  readonly rules: string | null;
  readonly ended_ms: unknown;
  readonly charge_micro: unknown;
}

export function ruledRequests(page: readonly RuledRow[]): RuledRequest[] {
  return page.flatMap(({ id, rules, ended_ms, charge_micro }) =>
    rules === null ? [] : [{ id, rules, ended_ms: toIntOrNull(ended_ms), charge_micro: toMicro(charge_micro) }],
  );
}

export function* listRuleSums(asked: { readonly account_id: string }): Work<RuleSum[]> {
  return yield* readRows(SUM, selectSums, [asked.account_id]);
}

export function* ruleTail({ account_id, after, open_ids }: RuleTailAsked): Work<RuleTail> {
  const sums = yield* listRuleSums({ account_id });
  const opened = open_ids.map((id) => [account_id, id]);
  const ended = yield* rows<RuledRow>(selectOpen, opened);
  const later = yield* rows<RuledRow>(selectLater, [account_id, after.created_ms, after.seq]);
  return { sums, requests: ruledRequests([...ended, ...later]), late: yield* lateChanges(account_id) };
}

function* lateChanges(account_id: string): Work<LateChange[]> {
  return yield* readRows(LATE, selectLate, [account_id]);
}

/**
 * The charges since a sum began, at least and at most: one of the very moment in which it began may be in the sum or not, and so may a late end,
 * which counts on an earlier day.
 */
interface AddedCharges {
  readonly from_ms: number;
  least: bigint;
  most: bigint;
}

/** The sums of an account's rules, as its requests add up to them. */
export class RuleSums {
  readonly #added: Map<string, AddedCharges>;
  readonly #account_id: string;
  readonly #open_ids: string[] = [];

  /** `since_ms`: the walk has all requests that were admitted from then on. */
  constructor(account_id: string, sums: readonly RuleSum[], since_ms: number) {
    this.#account_id = account_id;
    this.#added = new Map(
      sums
        .filter(({ from_ms }) => since_ms === 0 || from_ms - LONGEST_MS >= since_ms)
        .map(({ rule, value, from_ms }) => [ruleId(account_id, rule, value), { from_ms, least: 0n, most: 0n }]),
    );
  }

  get open_ids(): readonly string[] {
    return this.#open_ids;
  }

  add(requests: readonly RuledRequest[]): void {
    for (const { id, rules, ended_ms, charge_micro } of requests) {
      if (ended_ms === null) this.#open_ids.push(id);
      else
        for (const added of this.#of(rules)) {
          if (ended_ms > added.from_ms) added.least += charge_micro;
          if (ended_ms >= added.from_ms) added.most += charge_micro;
        }
    }
  }

  addLate(late: readonly LateChange[]): void {
    for (const { rules, booked_ms, difference_micro } of late)
      for (const added of this.#of(rules)) {
        if (booked_ms < added.from_ms) continue;
        if (difference_micro < 0n) added.least += difference_micro;
        else added.most += difference_micro;
      }
  }

  /** The sums that are not what the requests add up to. One that began anew during the walk is left to the next audit. */
  compare({ sums, requests, late }: RuleTail): AuditFinding[] {
    this.add(requests);
    this.addLate(late);
    return sums.flatMap(({ rule, value, from_ms, spent_micro }) => {
      const added = this.#added.get(ruleId(this.#account_id, rule, value));
      if (added === undefined || added.from_ms !== from_ms) return [];
      if (spent_micro >= added.least && spent_micro <= added.most) return [];
      const problem = `what is spent under the limit '${value === "" ? rule : `${rule} (${value})`}' is not what its requests add up to`;
      return [finding("key", { account_id: this.#account_id }, problem, { found: spent_micro, expected: added.most })];
    });
  }

  /** What the requests add up to. */
  sumOf({ rule, value }: Pick<RuleSum, "rule" | "value">): bigint {
    return this.#added.get(ruleId(this.#account_id, rule, value))?.most ?? 0n;
  }

  #of(rules: string): AddedCharges[] {
    return readRules(rules).flatMap(([rule, value]) => this.#added.get(ruleId(this.#account_id, rule, value)) ?? []);
  }
}

const selectRuled = sql(`${RULED} WHERE account_id = ? AND created_ms >= ? AND rules IS NOT NULL`);
const setSpent = sql("UPDATE limit_counts SET spent_micro = ? WHERE account_id = ? AND rule = ? AND value = ?");

/** Adds up the sums of an account's rules anew. */
export function* rebuildRuleSums(account_id: string, kept_since_ms: number): Work<void> {
  const sums = (yield* listRuleSums({ account_id })).filter(({ from_ms }) => from_ms >= kept_since_ms);
  if (sums.length === 0) return;
  const first_ms = sums.reduce((least, { from_ms }) => Math.min(least, from_ms), Number.MAX_SAFE_INTEGER);
  const requests = ruledRequests(yield* rows<RuledRow>(selectRuled, [account_id, first_ms - LONGEST_MS]));
  const added = new RuleSums(account_id, sums, 0);
  added.add(requests);
  added.addLate(yield* lateChanges(account_id));
  for (const sum of sums) yield* rows(setSpent, [added.sumOf(sum), account_id, sum.rule, sum.value]);
}
