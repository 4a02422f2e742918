import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt } from "../../core/ledger.ts";
import { migrate } from "../schema/migrate.ts";
import { isSet, runNow, type Work } from "../sql/work.ts";
import { RowTexts } from "./row-texts.ts";
import { readTexts, referringAttempts, SharedTexts, sharedPart, withTexts } from "./shared-texts.ts";
import { readAttempts, readPrice, shortAttemptsText } from "./short-texts.ts";

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

const COLUMNS = ["price", "attempts"] as const;
const millis = fc.integer({ min: 0, max: 10_000_000 });
const ATTEMPT: fc.Arbitrary<Attempt> = fc.record(
  {
    vendor: fc.constantFrom("acme", "a,b", '],["', "#1"),
    upstream_model: fc.string(),
    status: fc.option(fc.constantFrom(200, 429, 503)),
    error: fc.option(fc.constantFrom("provider_error" as const, "internal_error" as const)),
    first_byte_ms: fc.option(millis),
    duration_ms: millis,
    calls: fc.nat({ max: 40 }),
    failures: fc.nat({ max: 40 }),
    started_ms: millis,
    said: fc.oneof(fc.string(), fc.constantFrom("null,1,2", '",3,4', "]],[[", "#12,3,4")),
    said_to_operator: fc.constant(true as const),
  },
  { requiredKeys: ["vendor", "upstream_model", "status", "error", "first_byte_ms", "duration_ms"] },
);

describe("shared texts", () => {
  test("attempts are read from their row as they were, whatever they are", () => {
    const { run } = newDatabase();
    const texts = new SharedTexts();
    fc.assert(
      fc.property(fc.array(ATTEMPT, { maxLength: 3 }), (attempts) => {
        const text = shortAttemptsText(attempts);
        const shared = sharedPart(text);
        const referenceOf = run(texts.references(new Set(shared === null || texts.has(shared) ? [] : [shared])));
        const row = { price: "[]", attempts: referringAttempts(text, referenceOf) };
        const [read] = run(withTexts([row], COLUMNS));
        expect(read?.attempts).toBe(text);
        expect(readAttempts(read?.attempts ?? "")).toEqual(readAttempts(text));
      }),
    );
  });

  test("many rows are read at once as each alone, whatever they share", () => {
    const { run } = newDatabase();
    const texts = new SharedTexts();
    const few = { vendor: fc.constantFrom("acme", "a,b"), upstream_model: fc.constantFrom("swift", "#1,2") };
    const alike = fc.record({ ...few, status: fc.option(fc.constant(200)), error: fc.constant(null) });
    const single = fc.record({ first_byte_ms: fc.option(millis), duration_ms: millis });
    const timed = fc.tuple(alike, single).map(([one, times]): Attempt => ({ ...one, ...times }));
    const row = fc.oneof(fc.array(timed, { minLength: 1, maxLength: 1 }), fc.array(ATTEMPT, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (attempts) => {
        const rows = attempts.map(shortAttemptsText);
        const unknown = rows.map(sharedPart).filter((shared) => shared !== null && !texts.has(shared));
        const referenceOf = run(texts.references(new Set(unknown as string[])));
        const referring = rows.map((text) => ({ price: "[]", attempts: referringAttempts(text, referenceOf) }));
        const read = new RowTexts(run(readTexts(referring, COLUMNS)));
        expect(referring.map((each) => [...read.attempts(each.attempts)])).toEqual(rows.map(readAttempts));
      }),
    );
  });

  test("an attempt with a vendor's sentence shares no text", () => {
    fc.assert(
      fc.property(ATTEMPT, (attempt) => {
        expect(sharedPart(shortAttemptsText([{ ...attempt, started_ms: 4, said: "null" }]))).toBeNull();
      }),
    );
  });

  test("a single attempt shares all but its times; several attempts and the engine's calls share no text", () => {
    const attempt = { vendor: "acme", upstream_model: "swift", status: 200, error: null } as const;
    const times = { first_byte_ms: 350, duration_ms: 1200 };
    const one = shortAttemptsText([{ ...attempt, ...times }]);
    expect(sharedPart(one)).toBe('"acme","swift",200,null');
    expect(referringAttempts(one, () => "#12")).toBe("#12,350,1200");
    const failed = shortAttemptsText([{ ...attempt, error: "provider_error", first_byte_ms: null, duration_ms: 9 }]);
    expect(sharedPart(failed)).toBe('"acme","swift",200,"provider_error"');
    expect(referringAttempts(failed, () => "#3")).toBe("#3,null,9");
    for (const other of [
      [],
      [{ ...attempt, ...times, calls: 3, failures: 1 }],
      Array(2).fill({ ...attempt, ...times }),
    ]) {
      expect(sharedPart(shortAttemptsText(other))).toBeNull();
    }
  });

  test("a text is added once, and remembered when a later transaction has found it", () => {
    const { run, count } = newDatabase();
    const texts = new SharedTexts();
    const unknown = new Set(["b", "a"]);
    const first = run(texts.references(unknown));
    expect([first("a"), first("b"), first("c")]).toEqual(["#1", "#2", "c"]);
    expect(texts.has("a")).toBe(false);
    const second = run(texts.references(unknown));
    expect([second("a"), second("b")]).toEqual(["#1", "#2"]);
    expect(texts.has("a")).toBe(true);
    expect(run(new SharedTexts().references(new Set(["c", "a"])))("c")).toBe("#3");
    expect(count()).toEqual({ texts: 3 });
    texts.forget();
    expect(texts.has("a")).toBe(false);
  });

  test("a long text stays in its row, and a reference whose text is missing is an error where it is read", () => {
    const { run } = newDatabase();
    expect(new SharedTexts().has("x".repeat(601))).toBe(true);
    const [row] = run(withTexts([{ price: "#77", attempts: "[]" }], COLUMNS));
    expect(() => readPrice(row?.price ?? "")).toThrow("#77");
  });
});
