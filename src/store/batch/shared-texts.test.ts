import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import { ENDED, type EndSource } from "../record/request-columns.ts";
import { sharedAttempt } from "../record/shared-attempt.ts";
import { migrate } from "../schema/migrate.ts";
import { isSet, runNow, type Work } from "../sql/work.ts";
import { type AttemptRow, readTexts } from "./row-texts.ts";
import { SharedTexts } from "./shared-texts.ts";

function newDatabase() {
  const database = new Database(":memory:", { strict: true });
  const run = <Result>(work: Work<Result>): Result =>
    runNow(work, (step) => {
      const prepared = database.prepare(step.statement.sqlite);
      if (!isSet(step)) return prepared.all(...(step.params as string[]));
      return step.params.flatMap((params) => prepared.all(...(params as string[])));
    });
  run(migrate("sqlite"));
  return { run, count: () => database.query("SELECT count(*) AS texts FROM texts").get() };
}

const millis = fc.integer({ min: 0, max: 10_000_000 });
const ATTEMPT: fc.Arbitrary<Attempt> = fc
  .record(
    {
      vendor: fc.constantFrom("acme", 'a,"b'),
      upstream_model: fc.oneof(fc.constant("swift"), fc.string()),
      status: fc.option(fc.constantFrom(200, 429, 503)),
      error: fc.option(fc.constantFrom("provider_error" as const, "internal_error" as const)),
      first_byte_ms: fc.option(millis),
      duration_ms: millis,
      credential: fc.constantFrom("key-1", "main"),
      why: fc.constantFrom("kept" as const, "conversation" as const),
      passed_over: fc.constant(["acme key-2: rests"]),
      calls: fc.nat({ max: 40 }),
      failures: fc.nat({ max: 40 }),
      started_ms: millis,
      said: fc.string(),
      said_to_operator: fc.constant(true as const),
    },
    { requiredKeys: ["vendor", "upstream_model", "status", "error", "first_byte_ms", "duration_ms"] },
  )
  .map(({ said, said_to_operator, calls, failures = 0, ...attempt }) => ({
    ...attempt,
    ...(calls !== undefined && { calls, failures }),
    // Only of an attempt whose start is recorded it is known why it failed.
    ...(attempt.started_ms !== undefined && said !== undefined && { said, said_to_operator }),
  }));

const END = {
  ...{ ended_ms: 1, charge_micro: ZERO, operator_loss_micro: ZERO, answered: null, charge_seq: null },
  ...{ estimated: false, success: true },
};
const OUTCOME = { error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 1 };
const SOURCE: Omit<EndSource, "end" | "attempt"> = {
  request: {
    ...{ id: "req_1", account_id: "acct_1", key_id: "key_1", project_id: null, tags: null, rules: null, created_ms: 0 },
    ...{ bound_tokens: 0, idempotency_key: null, model: "acme/swift", admitted: null, status: "settled" },
    ...{ hold_micro: ZERO, extended_micro: ZERO, deadline_ms: 0, progress: null, end: null },
    ...{ hold_changed: false, changed: false },
  },
};

describe("attempts", () => {
  test("are read from their rows as they were, whatever they are and however many share a text", () => {
    const { run } = newDatabase();
    const texts = new SharedTexts();
    fc.assert(
      fc.property(fc.array(fc.array(ATTEMPT, { maxLength: 3 }), { maxLength: 12 }), (all) => {
        const shared = all.map(sharedAttempt);
        const unknown = shared.filter((text) => text !== null && !texts.has(text));
        const numberOf = run(texts.numbers(new Set(unknown as string[])));
        const rows = all.map((attempts, at): AttemptRow => {
          const end = { ...END, outcome: { ...OUTCOME, attempts } };
          const source: EndSource = { ...SOURCE, end, attempt: shared[at] ?? null };
          const names = ["attempts", "attempt_no", "attempt_first_byte_ms", "attempt_duration_ms"] as const;
          return Object.fromEntries(names.map((name) => [name, ENDED[name].write(source, numberOf)])) as never;
        });
        const read = run(readTexts(rows, ["attempt_no"]));
        expect(rows.map((row) => [...read.attempts(row)])).toEqual(all);
      }),
    );
  });

  const plain = { vendor: "acme", upstream_model: "swift", status: 200, error: null } as const;
  const timed: Attempt = { ...plain, first_byte_ms: 350, duration_ms: 1200 };
  test.each([
    { what: "one", attempts: [timed], text: '["acme","swift",200,null]' },
    {
      what: "one that failed at once",
      attempts: [{ ...timed, status: null, error: "provider_error" as const }],
      text: '["acme","swift",null,"provider_error"]',
    },
    { what: "none", attempts: [], text: null },
    { what: "several", attempts: [timed, timed], text: null },
    { what: "calls of the decision engine", attempts: [{ ...timed, calls: 3, failures: 1 }], text: null },
    { what: "one with a vendor's sentence", attempts: [{ ...timed, started_ms: 4, said: "Later." }], text: null },
  ])("share a text without their times: $what", ({ attempts, text }) => {
    expect(sharedAttempt(attempts)).toBe(text);
  });
});

describe("a shared text", () => {
  test("is added once, and remembered when a later transaction has found it", () => {
    const { run, count } = newDatabase();
    const texts = new SharedTexts();
    const unknown = new Set(["b", "a"]);
    const first = run(texts.numbers(unknown));
    expect([first("a"), first("b")]).toEqual([1, 2]);
    expect(() => first("c")).toThrow("the text c has no number");
    expect(texts.has("a")).toBe(false);
    const second = run(texts.numbers(unknown));
    expect([second("a"), second("b")]).toEqual([1, 2]);
    expect(texts.has("a")).toBe(true);
    expect(run(new SharedTexts().numbers(new Set(["c", "a"])))("c")).toBe(3);
    expect(count()).toEqual({ texts: 3 });
    texts.forget();
    expect(texts.has("a")).toBe(false);
  });

  test("is found however long it is", () => {
    const { run } = newDatabase();
    const text = "x".repeat(5000);
    expect(run(new SharedTexts().numbers(new Set([text])))(text)).toBe(1);
    expect(run(readTexts([{ price_no: 1 }], ["price_no"])).text(1)).toBe(text);
  });

  test("is known to its batch also where so many are remembered that all are forgotten", () => {
    const { run } = newDatabase();
    const texts = new SharedTexts();
    const many = new Set(Array.from({ length: 6000 }, (_, at) => `${at}`));
    run(texts.numbers(many));
    expect(run(texts.numbers(many))("17")).toBe(run(new SharedTexts().numbers(new Set(["17"])))("17"));
    expect(texts.has("17")).toBe(false);
  });

  test("that is missing is an error where it is read", () => {
    const { run } = newDatabase();
    const texts = run(readTexts([{ price_no: 77 }], ["price_no"]));
    expect(() => texts.price(77)).toThrow("the text 77 is missing");
  });
});
