import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LimitHolder } from "../../proofs/support/limit-holder.ts";
import { freshDatabase } from "../../proofs/support/postgres.ts";
import { runs } from "../../proofs/support/runs.ts";
import { newId } from "../core/ids.ts";
import type { AdmitOp, RefusedRule } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import type { AppliedRule } from "../core/people/limit-rules.ts";
import {
  type Budget,
  type BudgetWindow,
  type KeyRecord,
  NO_LIMITS,
  type OwnLimits,
  type RuleLimits,
} from "../core/people/principal.ts";
import type { BookResult } from "../ledger/books/decide.ts";
import { tagRule } from "../limits/tag-rules.ts";
import { setAccountLimits } from "./accounts/account-limits.ts";
import { createAccount, setTimeZone } from "./accounts/accounts.ts";
import { addEntry } from "./accounts/entries.ts";
import { createKey, findKey } from "./accounts/keys.ts";
import { createProject } from "./accounts/projects.ts";
import { setTagValue } from "./accounts/tag-values.ts";
import { listRuleSums, RuleSums, ruleTail } from "./audit/audit-rule-sums.ts";
import { newKey, OUTCOME, PRICE, settleOp } from "./suite/books.ts";
import { type MovedBooks, movedPostgres, movedSqlite } from "./suite/moved-books.ts";

/** Random histories under the limits of key, project, account, rules and tags at once, against a plain model of all of them. */

const count = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { freq: 2 });
const window = fc.constantFrom<BudgetWindow[]>("day", "week", "month", "once");
const budget = fc.option(fc.record({ amount_micro: fc.integer({ min: 20, max: 400 }).map(micro), window }), {
  freq: 2,
});
const LIMITS = fc.record({ rpm: count(6), tpm: count(300), concurrent: count(3), budget });
const SCENE = fc.record({
  key: LIMITS,
  project: LIMITS,
  account: LIMITS,
  rules: fc.array(LIMITS, { maxLength: 3 }),
  tags: fc.array(fc.record({ all: LIMITS, own: LIMITS }), { maxLength: 2 }),
  time_zone: fc.constantFrom(null, "Europe/Berlin", "America/New_York", "Asia/Kathmandu"),
});
const amount = fc.integer({ min: 0, max: 150 });
const which = fc.nat({ max: 5 });
/** Values of tags, of which one has its own limits; null: a request without tags. */
const VALUES = ["a", "b", "own"] as const;
const VALUE = fc.constantFrom(...VALUES, null);
const STEP = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("admit" as const), amount, without: which, value: VALUE }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("extend" as const), which, amount }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle" as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("void" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), s: fc.integer({ min: 0, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), s: fc.integer({ min: 0, max: 700_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;
type Scene = typeof SCENE extends fc.Arbitrary<infer Value> ? Value : never;

const BOUND_TOKENS = 50;
/** The tokens of every settlement of `settleOp`. */
const USED_TOKENS = 25;

interface Open {
  readonly id: string;
  readonly holders: readonly LimitHolder[];
  readonly at_ms: number;
  readonly bound_tokens: number;
  hold: number;
}

/** A value of a limit by tag: what admissions bring, and what applies to it. */
class TagHolder extends LimitHolder {
  readonly applied: AppliedRule;

  constructor(rule: string, value: string, { all, own }: Scene["tags"][number]) {
    super(`${rule}=${value}`, value === "own" ? { ...all, ...ownOf(own) } : all);
    this.applied = { rule, value, ...all };
  }
}

function ownOf(limits: RuleLimits): OwnLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
}

function tagRuleAt(at: number): string {
  return tagRule("account", `tag-${at}`);
}

class History {
  readonly #books: MovedBooks;
  readonly #scene: Scene;
  readonly #key: KeyRecord;
  readonly #own: LimitHolder;
  readonly #shared: readonly LimitHolder[];
  readonly #rules: readonly LimitHolder[];
  readonly #tags: readonly (readonly [value: string, holder: TagHolder])[];
  readonly #running: Open[] = [];
  now_ms: number;

  constructor(books: MovedBooks, scene: Scene, key: KeyRecord, now_ms: number) {
    this.#books = books;
    this.#scene = scene;
    this.#key = key;
    this.now_ms = now_ms;
    this.#own = new LimitHolder("key", scene.key);
    this.#shared = [new LimitHolder("project", scene.project), new LimitHolder("account", scene.account)];
    this.#rules = scene.rules.map((limits, at) => new LimitHolder(`rule ${at}`, limits));
    this.#tags = scene.tags.flatMap((tag, at) =>
      VALUES.map((value) => [value, new TagHolder(tagRuleAt(at), value, tag)] as const),
    );
  }

  async take(step: Step): Promise<void> {
    const request = "which" in step ? this.#running[step.which] : undefined;
    if (step.do === "wait") return this.#wait(step.s);
    if (step.do === "crash") return this.#books.crash();
    if (step.do === "admit") return this.#admit(step);
    if (request === undefined) return;
    const { id: request_id } = request;
    if (step.do === "extend") {
      const left = request.holders.map((each) => each.left(this.now_ms, this.#scene.time_zone) ?? step.amount);
      const added = Math.min(step.amount, ...left);
      const [result] = await this.#books.commit([{ op: "extend", request_id, add_micro: micro(step.amount) }]);
      expect(result).toEqual(added > 0 ? { outcome: "extended", added_micro: micro(added) } : { outcome: "refused" });
      for (const holder of request.holders) holder.held += added;
      request.hold += added;
      return;
    }
    this.#running.splice(this.#running.indexOf(request), 1);
    const charge = step.do === "settle" ? Math.min(step.amount, request.hold) : 0;
    if (step.do === "settle") await this.#books.commit([settleOp(request_id, { charge_micro: micro(step.amount) })]);
    else await this.#books.commit([{ op: "void", request_id, outcome: OUTCOME, operator_loss_micro: micro(0) }]);
    for (const holder of request.holders)
      holder.end(request, { tokens: step.do === "settle" ? USED_TOKENS : 0, charge }, this.now_ms);
  }

  /** The audit adds up what the rules have spent, whatever windows and zones its sums went through. */
  async audit(): Promise<void> {
    const { account_id } = this.#key;
    const sums = new RuleSums(account_id, await this.#books.run(() => listRuleSums({ account_id })), 0);
    const all = { account_id, after: { created_ms: 0, seq: 0 }, open_ids: [] };
    expect(sums.compare(await this.#books.run(() => ruleTail(all)))).toEqual([]);
  }

  async #wait(seconds: number): Promise<void> {
    this.now_ms += seconds * 1000;
    await this.#books.moveTo(new Date(this.now_ms).toISOString());
  }

  /** Admits a request that all rules but one concern, with this value of all tags. */
  async #admit({ amount: hold, without, value }: Extract<Step, { do: "admit" }>): Promise<void> {
    const rules = this.#rules.filter((_, at) => at !== without);
    const tags = this.#tags.filter(([each]) => each === value).map(([, holder]) => holder);
    const op = this.#op(hold, rules, tags);
    const holders = [this.#own, ...this.#shared, ...rules, ...tags];
    const [result] = await this.#books.commit([op]);
    const expected = this.#expected(hold, holders);
    expect(said(result)).toEqual(expected);
    const is_key_full =
      expected.outcome === "rate_limited" && expected.limit === "requests" && expected.whose === "key";
    if (!is_key_full) this.#own.takeRequest(this.now_ms);
    if (expected.outcome !== "admitted") return;
    const request = { id: op.request_id, holders, at_ms: this.now_ms, bound_tokens: BOUND_TOKENS, hold };
    for (const holder of holders) {
      if (holder !== this.#own) holder.takeRequest(this.now_ms);
      holder.begin(request);
    }
    this.#running.push(request);
  }

  #expected(hold: number, holders: readonly LimitHolder[]): Said {
    for (const { name, full } of holders.map((each) => ({
      name: each.name,
      full: each.full(BOUND_TOKENS, this.now_ms),
    })))
      if (full !== null) return { outcome: "rate_limited", ...full, whose: name };
    let least: { name: string; left: number } | null = null;
    for (const each of holders) {
      const left = each.left(this.now_ms, this.#scene.time_zone);
      if (left !== null && (least === null || left < least.left)) least = { name: each.name, left };
    }
    if (least === null || hold <= least.left) return { outcome: "admitted" };
    return { outcome: "budget_exceeded", left: least.left, whose: least.name };
  }

  #op(hold: number, rules: readonly LimitHolder[], tags: readonly TagHolder[]): AdmitOp {
    const { id: key_id, account_id, version: key_version } = this.#key;
    const applied = rules.map(({ name, limits }): AppliedRule => ({ rule: name, value: "", ...limits }));
    return {
      ...{ op: "admit", request_id: newId("req"), client_request_id: null, account_id, key_id, key_version },
      ...{ endpoint: "chat.completions", stream: false, requested_model: "acme/swift", model: "acme/swift" },
      ...{ price: PRICE, hold_micro: micro(hold), bound_tokens: BOUND_TOKENS, ...this.#scene.key },
      ...{ node_id: "node_1", ttl_ms: 3_600_000_000, idempotency: null, rules: applied },
      tag_rules: tags.map((each) => each.applied),
    };
  }
}

/** What a verdict tells: which limit of whom refuses, and when there is room. */
interface Said {
  readonly outcome: string;
  readonly whose?: string;
  readonly limit?: string;
  readonly retry_after_ms?: number;
  readonly left?: number;
}

function nameOf({ rule, value }: RefusedRule): string {
  return value === "" ? rule : `${rule}=${value}`;
}

function said(result: BookResult | undefined): Said {
  if (result?.outcome === "rate_limited") {
    const { outcome, limit, retry_after_ms, of = "key", rule } = result;
    return { outcome, limit, retry_after_ms, whose: rule === undefined ? of : nameOf(rule) };
  }
  if (result?.outcome === "budget_exceeded") {
    const { outcome, remaining_micro, of = "key", rule } = result;
    return { outcome, left: Number(remaining_micro), whose: rule === undefined ? of : nameOf(rule) };
  }
  return { outcome: result?.outcome ?? "" };
}

async function begin(books: MovedBooks, scene: Scene, now_ms: number): Promise<History> {
  await books.moveTo(new Date(now_ms).toISOString());
  const id = newId("acct");
  const project_id = newId("proj");
  await books.run(() => createAccount({ id, email: `${id}@example.com`, name: "" }));
  const credit = { account_id: id, kind: "credit", amount_micro: micro(1_000_000), note: "", actor: "test" } as const;
  await books.run(() => addEntry(credit));
  const ofAll = (limits: RuleLimits & { budget: Budget | null }) => ({ ...NO_LIMITS, ...limits });
  await books.run(() => createProject({ id: project_id, account_id: id, name: "p", limits: ofAll(scene.project) }));
  await books.run(() => setAccountLimits(id, ofAll(scene.account)));
  for (const [at, { own }] of scene.tags.entries())
    await books.run(() => setTagValue({ account_id: id, rule: tagRuleAt(at), value: "own", own: ownOf(own) }));
  await books.run(() => setTimeZone(id, scene.time_zone));
  const made = await books.run(() => createKey(newKey(id, { project_id, ...scene.key })));
  const key = await books.run(() => findKey(made.id));
  if (key === null) throw new Error("there is no key");
  return new History(books, scene, key, now_ms);
}

for (const [name, open, histories] of [
  ["on SQLite", movedSqlite, runs(60)],
  ["on PostgreSQL", async () => movedPostgres(await freshDatabase()), runs(15)],
] as const)
  describe(`${name}, all limits at once`, () => {
    let books: MovedBooks;
    beforeAll(async () => {
      books = await open();
    });
    afterAll(() => books.close());

    test("refuse what a plain model of them refuses, name the same limit, and open when it does", async () => {
      // Over both changes of summer time.
      const starts = fc.constantFrom("2026-03-27T12:00:00Z", "2026-10-23T12:00:00Z");
      await fc.assert(
        fc.asyncProperty(
          SCENE,
          starts,
          fc.array(STEP, { minLength: 5, maxLength: 25 }),
          async (scene, start, steps) => {
            const history = await begin(books, scene, Date.parse(start));
            for (const step of steps) await history.take(step);
            await history.audit();
          },
        ),
        { numRuns: histories, endOnFailure: true },
      );
    }, 120_000);
  });
