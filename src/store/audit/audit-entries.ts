import type { AuditFinding } from "../../core/ledger/books-audit.ts";
import { dayOf } from "../../limits/windows.ts";
import { entryId } from "../accounts/entries.ts";
import { amount, int, intOrNull, type ReadRow, readRows, text, textOrNull } from "../sql/columns.ts";
import { sql } from "../sql/statement.ts";
import type { Work } from "../sql/work.ts";
import { finding } from "./finding.ts";

/**
 * A page of an account's entries, from the newest back to the first. Entries never change, and the sum after each follows from
 * the one before: so pages of different moments prove together that the newest sum is the sum of all amounts.
 */
export interface EntriesAsked {
  readonly account_id: string;
  /** The place above the page, and the sum that the page's newest entry must have; null for an unknown sum. */
  readonly below: { readonly seq: number; readonly posted_micro: bigint | null };
  readonly since_ms: number;
  /** Requests that ended before this may be gone. */
  readonly kept_since_ms: number;
  readonly limit: number;
}

export interface EntriesSlice {
  readonly count: number;
  readonly findings: readonly AuditFinding[];
  /** Where the next page begins; null where there is none. */
  readonly next: EntriesAsked["below"] | null;
  /** Charges of days whose requests may be gone, in whole micro units. */
  readonly old_charges: readonly (readonly [day: number, charged_micro: bigint])[];
  /** The corrections by late settlements, up or down, counted on the days on which recoveries had ended the requests. */
  readonly late_micro: bigint;
}

const selectPage = sql(
  `SELECT e.seq, e.kind, e.amount_micro, e.posted_after_micro, e.request_id, e.created_ms, e.actor,
      r.account_id AS request_account, r.charge_seq
    FROM entries AS e LEFT JOIN requests AS r ON r.id = e.request_id
    WHERE e.account_id = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT ?`,
);

const ENTRY = {
  seq: int,
  kind: text,
  amount_micro: amount,
  posted_after_micro: amount,
  request_id: textOrNull,
  created_ms: int,
  actor: text,
  request_account: textOrNull,
  charge_seq: intOrNull,
} as const;

export function* auditEntries(asked: EntriesAsked): Work<EntriesSlice> {
  const { account_id, since_ms, kept_since_ms, limit } = asked;
  const findings: AuditFinding[] = [];
  const old_charges = new Map<number, bigint>();
  let { seq: above, posted_micro } = asked.below;
  let count = 0;
  let late_micro = 0n;
  const page = yield* readRows(ENTRY, selectPage, [account_id, above, limit]);
  for (const entry of page) {
    const { seq, created_ms, amount_micro: amount, posted_after_micro: sum } = entry;
    const place = { account_id, entry_id: entryId(account_id, seq) };
    if (seq !== above - 1) {
      const values = { found: seq, expected: above - 1 };
      findings.push(finding("chain", place, "an entry between this one and the next newer is missing", values));
    } else if (posted_micro !== null && sum !== posted_micro) {
      const values = { found: sum, expected: posted_micro };
      findings.push(finding("chain", place, "the sums of the entries do not chain", values));
    }
    above = seq;
    posted_micro = sum - amount;
    count += 1;
    findings.push(...auditRequest(entry, place, kept_since_ms));
    if (entry.kind === "correction" && entry.actor === "gateway") late_micro += amount < 0n ? -amount : amount;
    if (entry.kind === "charge" && created_ms < kept_since_ms) {
      const day = dayOf(created_ms);
      old_charges.set(day, (old_charges.get(day) ?? 0n) - amount);
    }
    if (created_ms < since_ms) return { count, findings, next: null, old_charges: [...old_charges], late_micro };
  }
  if (page.length === limit && above > 1) {
    return { count, findings, next: { seq: above, posted_micro }, old_charges: [...old_charges], late_micro };
  }
  if (above !== 1 || (posted_micro !== null && posted_micro !== 0n)) {
    const values = { found: `${above - 1} entries, ${posted_micro ?? 0n}`, expected: "0 entries, 0" };
    findings.push(finding("chain", { account_id }, "what comes before the first entry is not nothing", values));
  }
  return { count, findings, next: null, old_charges: [...old_charges], late_micro };
}

/** An entry without an actor is the one that its request names; one with an actor was written before requests named any. */
function auditRequest(
  entry: ReadRow<typeof ENTRY>,
  place: { readonly account_id: string; readonly entry_id: string },
  kept_since_ms: number,
): AuditFinding[] {
  const { request_id, request_account, created_ms, amount_micro } = entry;
  if (request_id === null) return [];
  const found = (problem: string): AuditFinding[] => [
    finding("request", { ...place, request_id }, problem, { found: amount_micro, expected: 0 }),
  ];
  if (request_account === null) {
    const may_be_gone = created_ms < kept_since_ms;
    return may_be_gone ? [] : found("an entry charges for a request that does not exist");
  }
  if (request_account !== place.account_id) return found("an entry charges for another account's request");
  const expected = entry.actor === "" ? entry.seq : null;
  return entry.charge_seq === expected
    ? []
    : found("an entry charges for a request that names another entry as its charge");
}
