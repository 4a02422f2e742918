import {
  type AuditCounts,
  type AuditFinding,
  type AuditOptions,
  type AuditProgress,
  type AuditReport,
  describeFinding,
} from "../../core/ledger/books-audit.ts";
import { dayOf } from "../../limits/windows.ts";
import type { AuditedAccount } from "./audit-accounts.ts";
import type { EntriesSlice } from "./audit-entries.ts";
import type { RequestsAsked, RequestsSlice } from "./audit-requests.ts";
import { RuleSums } from "./audit-rule-sums.ts";
import type { AuditMethod, AuditSlices } from "./audit-slices.ts";
import { dayOfPlace, finding } from "./finding.ts";

/** How many rows a slice reads at most. */
const ACCOUNTS_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;
/** How many findings are kept: a damaged database may have as many as it has rows. */
const FINDINGS_AT_MOST = 1000;

/** Finds differences outside of the tables: SQLite's journal file and its anchor. */
type OutsideCheck = () => Promise<readonly AuditFinding[]>;

interface SliceCall<Method extends AuditMethod = AuditMethod> {
  readonly method: Method;
  readonly args: Parameters<AuditSlices[Method]>;
}

/** The steps of an audit: each is a slice, whose result is sent back. */
type AuditSteps<Result> = Generator<SliceCall, Result, unknown>;

/**
 * Audits the books slice by slice: account by account, its entries from the newest back, its requests in the order of their
 * admission, its days. Memory holds one slice, the days of one account and the findings.
 */
export async function auditBooks(
  slices: AuditSlices,
  options: AuditOptions,
  checkOutside: OutsideCheck,
): Promise<AuditReport> {
  const audit = new Audit(options);
  audit.take(await checkOutside());
  const steps = audit.run();
  let asked = steps.next();
  while (asked.done !== true) {
    const began = performance.now();
    const slice = await runSlice(slices, asked.value);
    options.onProgress?.(audit.progress);
    await options.pause?.(performance.now() - began);
    asked = steps.next(slice);
  }
  return asked.value;
}

function runSlice(slices: AuditSlices, { method, args }: SliceCall): Promise<unknown> {
  return (slices[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
}

/** The charges of an account on days whose requests may be gone, and by how much late settlements may differ from them. */
interface OldCharges {
  readonly charges: ReadonlyMap<number, bigint>;
  readonly late_micro: bigint;
}

/** An audit as a series of steps: whoever runs it runs the slices that it asks for. */
export class Audit {
  readonly #options: AuditOptions;
  readonly #findings: AuditFinding[] = [];
  readonly #counts: { -readonly [Name in keyof AuditCounts]: number } = {
    accounts: 0,
    entries: 0,
    requests: 0,
    days: 0,
  };
  #more = 0;
  #account_id: string | null = null;
  #kept_since_ms = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  get progress(): AuditProgress {
    return { ...this.#counts, account_id: this.#account_id, findings: this.#findings.length + this.#more };
  }

  take(found: readonly AuditFinding[]): void {
    const room = FINDINGS_AT_MOST - this.#findings.length;
    this.#findings.push(...found.slice(0, room));
    this.#more += Math.max(0, found.length - room);
  }

  *run(): AuditSteps<AuditReport> {
    const began = performance.now();
    const outset = yield* ask("auditOutset");
    this.#kept_since_ms = outset.kept_since_ms;
    this.take(outset.findings);
    const { account_id = null } = this.#options;
    for (let after = ""; ; ) {
      const page = yield* ask("auditAccounts", { after, account_id, limit: ACCOUNTS_AT_ONCE });
      this.take(page.findings);
      for (const account of page.accounts) yield* this.#auditAccount(account);
      if (account_id !== null || page.accounts.length < ACCOUNTS_AT_ONCE) break;
      after = page.accounts.at(-1)?.id ?? "";
    }
    if (account_id === null) yield* this.#auditSums();
    return {
      ...this.#counts,
      started_ms: outset.now_ms,
      ended_ms: Math.round(outset.now_ms + performance.now() - began),
      findings: this.#findings,
      more: this.#more,
      problems: this.#findings.map(describeFinding),
      kept_since_ms: this.#kept_since_ms,
    };
  }

  /** Sums of days over all accounts: they belong to no account. */
  *#auditSums(): AuditSteps<void> {
    const spans = yield* ask("listSums", { first_day: dayOf(this.#options.since_ms ?? 0) });
    for (const span of spans) this.take(yield* ask("auditSums", span));
  }

  *#auditAccount(account: AuditedAccount): AuditSteps<void> {
    this.#account_id = account.id;
    if (account.is_here) this.#counts.accounts += 1;
    const old = yield* this.#auditEntries(account);
    const days = yield* this.#auditRequests(account);
    yield* this.#auditDays(account, days, old);
  }

  /** Returns what was charged on days whose requests may be gone. */
  *#auditEntries({ id, entry_count }: AuditedAccount): AuditSteps<OldCharges> {
    const { since_ms = 0 } = this.#options;
    const charges = new Map<number, bigint>();
    let late_micro = 0n;
    let below: EntriesSlice["next"] = { seq: entry_count + 1, posted_micro: null };
    while (below !== null) {
      const given = { since_ms, kept_since_ms: this.#kept_since_ms, limit: ROWS_AT_ONCE };
      const slice: EntriesSlice = yield* ask("auditEntries", { account_id: id, below, ...given });
      this.#counts.entries += slice.count;
      this.take(slice.findings);
      for (const [day, micro] of slice.old_charges) charges.set(day, (charges.get(day) ?? 0n) + micro);
      late_micro += slice.late_micro;
      below = slice.next;
    }
    return { charges, late_micro };
  }

  /** Returns the days on which requests ended. */
  *#auditRequests({ id, has_rule_sums }: AuditedAccount): AuditSteps<Set<number>> {
    const { since_ms = 0, vendor_use } = this.#options;
    const whole_since_ms = Math.max(since_ms, this.#kept_since_ms);
    const sums = has_rule_sums
      ? new RuleSums(id, yield* ask("listRuleSums", { account_id: id }), whole_since_ms)
      : null;
    const days = new Set<number>();
    const vendor_days = vendor_use === undefined ? null : ([vendor_use.first_day, vendor_use.last_day] as const);
    let after: RequestsSlice["next"] = { created_ms: since_ms - 1, seq: Number.MAX_SAFE_INTEGER };
    let last = after;
    while (after !== null) {
      const asked: RequestsAsked = { account_id: id, after, vendor_days, limit: ROWS_AT_ONCE };
      const slice: RequestsSlice = yield* ask("auditRequests", asked);
      this.#counts.requests += slice.count;
      this.take(slice.findings);
      for (const day of slice.days) days.add(day);
      for (const use of slice.vendor_use) vendor_use?.add(use);
      sums?.add(slice.ruled);
      after = slice.next;
      last = slice.last ?? last;
    }
    if (sums !== null) {
      const tail = { account_id: id, after: last, open_ids: sums.open_ids };
      this.take(sums.compare(yield* ask("ruleTail", tail)));
    }
    return days;
  }

  *#auditDays({ id }: AuditedAccount, of_requests: Set<number>, old: OldCharges): AuditSteps<void> {
    const { since_ms = 0 } = this.#options;
    const first_day = dayOf(since_ms);
    const { days } = yield* ask("listDays", { account_id: id, first_day });
    const charged = new Map(days);
    const first_kept = dayOf(this.#kept_since_ms);
    for (const day of new Set([...charged.keys(), ...of_requests, ...old.charges.keys()])) {
      if (day < first_day) continue;
      this.#counts.days += 1;
      if (day >= first_kept) {
        this.take((yield* ask("auditDay", { account_id: id, day })).findings);
        continue;
      }
      const values = { found: charged.get(day) ?? 0n, expected: old.charges.get(day) ?? 0n };
      const difference = values.found - values.expected;
      if (difference <= old.late_micro && -difference <= old.late_micro) continue;
      const place = { account_id: id, day: dayOfPlace(day) };
      this.take([finding("usage", place, "the day's charges are not those of the entries", values)]);
    }
  }
}

/** Asks for a slice. Its result is of the method's type, because whoever runs the steps runs that method. */
function* ask<Method extends AuditMethod>(
  method: Method,
  ...args: Parameters<AuditSlices[Method]>
): AuditSteps<Awaited<ReturnType<AuditSlices[Method]>>> {
  return (yield { method, args }) as Awaited<ReturnType<AuditSlices[Method]>>;
}
