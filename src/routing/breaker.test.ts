import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Breakers } from "./breaker.ts";

type Record = "succeeded" | "failed" | "brokeOff" | "refused" | "forbidden" | "answered" | "undecided";

function setup() {
  const clock = { now_ms: 0 };
  const breakers = new Breakers(() => clock.now_ms);
  const record = (what: Record, times = 1, account = "a") => {
    for (let time = 0; time < times; time += 1) breakers[what]("acme", "m", account);
  };
  /** Failures of so many accounts that the circuit opens for everybody. */
  const breakDown = () => {
    for (const account of ["a", "b", "c", "d"]) record("failed", 5, account);
  };
  const allow = (account = "a") => breakers.allow("acme", "m", account);
  return { clock, breakers, record, breakDown, allow, state: () => breakers.sharedState("acme", "m") };
}

describe("a circuit breaker", () => {
  test("opens at the twentieth attempt if half of the attempts failed, for that vendor and model alone", () => {
    const { breakers, record, state } = setup();
    for (const account of ["a", "b", "c"]) record("failed", 3, account);
    record("succeeded", 10, "d");
    expect(state()).toBe("closed");
    record("failed", 1, "a");
    expect(state()).toBe("open");
    expect(breakers.waitMs("acme", "m", "z")).toBe(30_000);
    expect(breakers.allow("acme", "m", "z")).toBe(false);
    expect(breakers.allow("acme", "other", "a")).toBe(true);
    expect(breakers.allow("other", "m", "a")).toBe(true);
  });

  test("stays closed while less than half of the attempts fail, however many fail in a row", () => {
    const { record, state } = setup();
    record("succeeded", 100, "d");
    for (const account of ["a", "b", "c"]) record("failed", 30, account);
    expect(state()).toBe("closed");
  });

  test("forgets attempts after 30 s", () => {
    const { clock, record, state } = setup();
    for (const account of ["a", "b", "c"]) record("failed", 6, account);
    clock.now_ms = 30_000;
    for (const account of ["a", "b", "c"]) record("failed", 6, account);
    expect(state()).toBe("closed");
    record("failed", 2, "d");
    expect(state()).toBe("open");
  });

  test("says for how many accounts alone it is open, and for none where it is open for all", () => {
    const some = setup();
    expect(some.breakers.accountsAlone("acme", "m")).toBe(0);
    some.record("succeeded", 40, "well");
    for (const account of ["a", "b"]) some.record("failed", 20, account);
    expect([some.breakers.accountsAlone("acme", "m"), some.state()]).toEqual([2, "closed"]);
    expect(some.breakers.state("acme", "m")).toBe("open");
    const all = setup();
    all.breakDown();
    expect([all.breakers.accountsAlone("acme", "m"), all.state()]).toEqual([0, "open"]);
  });

  test("opens after five refused connections in a row, of a single account too", () => {
    const { record, state } = setup();
    record("refused", 4);
    record("answered");
    record("refused", 4);
    expect(state()).toBe("closed");
    record("refused");
    expect(state()).toBe("open");
  });

  test("counts an answer that breaks off once", () => {
    const { record, state } = setup();
    for (const account of ["a", "b", "c"])
      for (let time = 0; time < 6; time += 1) {
        record("succeeded", 1, account);
        record("brokeOff", 1, account);
      }
    expect(state()).toBe("closed");
    record("succeeded", 2, "c");
    record("brokeOff", 1, "c");
    expect(state()).toBe("open");
  });

  test("counts 403 from three accounts on", () => {
    const { record, state } = setup();
    for (const account of ["a", "b"]) record("forbidden", 100, account);
    record("failed", 19, "d");
    expect(state()).toBe("closed");
    for (const account of ["c", "a", "b"]) record("forbidden", 10, account);
    expect(state()).toBe("open");
  });

  test("stays closed for others, whatever one account's calls do, and closes to that account", () => {
    const { breakers, record, allow, state } = setup();
    record("failed", 19);
    expect(allow()).toBe(true);
    record("failed");
    expect([allow(), allow("b"), state(), breakers.state("acme", "m")]).toEqual([false, true, "closed", "open"]);
    expect([breakers.waitMs("acme", "m", "a"), breakers.waitMs("acme", "m", "b")]).toEqual([30_000, 0]);
  });

  test("probes again for a single account after its pause", () => {
    const { clock, record, allow } = setup();
    record("failed", 20);
    clock.now_ms = 30_000;
    expect([allow(), allow(), allow("b")]).toEqual([true, false, true]);
    record("succeeded", 1, "b");
    expect(allow()).toBe(false);
    record("succeeded");
    expect([allow(), allow()]).toEqual([true, true]);
  });

  test("lets exactly one probe through after the pause", () => {
    const { clock, breakDown, allow, state } = setup();
    breakDown();
    clock.now_ms = 30_000;
    expect(state()).toBe("half-open");
    expect([allow(), allow("b")]).toEqual([true, false]);
  });

  test("closes when the probe succeeds, and counts anew", () => {
    const { clock, breakDown, record, allow, state } = setup();
    breakDown();
    clock.now_ms = 30_000;
    allow();
    record("succeeded");
    record("failed", 1, "b");
    expect(state()).toBe("closed");
  });

  test("is open for at most 60 s after each probe that fails", () => {
    const { clock, breakers, breakDown, record, allow } = setup();
    breakDown();
    const pauses: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      clock.now_ms += breakers.waitMs("acme", "m");
      expect(allow()).toBe(true);
      record("failed");
      pauses.push(breakers.waitMs("acme", "m"));
    }
    expect(pauses).toEqual([60_000, 60_000, 60_000, 60_000, 60_000, 60_000]);
  });

  test("neither closes nor waits longer for requests that were running when it opened", () => {
    const { breakers, breakDown, record, state } = setup();
    breakDown();
    record("failed", 50);
    record("refused", 50);
    record("succeeded", 50);
    expect([state(), breakers.waitMs("acme", "m")]).toEqual(["open", 30_000]);
  });

  test("closes when its vendor's failures are forgotten, while other vendors' circuits stay open", () => {
    const { breakers, breakDown, state } = setup();
    breakDown();
    for (let time = 0; time < 5; time += 1) breakers.refused("acme-eu", "m", "a");
    breakers.forget("acme");
    expect([state(), breakers.state("acme-eu", "m")]).toEqual(["closed", "open"]);
  });

  test("closes for everybody when a test call was answered", () => {
    const { breakers, breakDown, allow } = setup();
    breakDown();
    breakers.close("acme", "m");
    expect([allow(), allow("b")]).toEqual([true, true]);
  });

  test.each(["undecided", "answered"] as const)("lets the next request probe after a probe that was %s", (what) => {
    const { clock, breakDown, record, allow } = setup();
    breakDown();
    clock.now_ms = 30_000;
    allow();
    record(what);
    expect(allow("b")).toBe(true);
  });
});

/** The outcomes of an account's request, refused connections left aside: those are never the request's fault. */
const outcome = fc.constantFrom<Record>("succeeded", "failed", "brokeOff", "forbidden", "answered", "undecided");
const pause_ms = fc.constantFrom(0, 0, 0, 10, 2999, 3000, 31_000);

describe("whatever happens", () => {
  test("one account's requests close no route to another account", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, pause_ms), { maxLength: 200 }), fc.nat(30), (steps, well) => {
        const { clock, breakers, record, allow } = setup();
        record("succeeded", well, "b");
        for (const [what, wait_ms] of steps) {
          clock.now_ms += wait_ms;
          if (allow("a")) record(what, 1, "a");
          expect([allow("b"), breakers.sharedState("acme", "m")]).toEqual([true, "closed"]);
        }
      }),
    );
  });

  test("requests that are at fault themselves, and 403s of two accounts, close no route to anybody", () => {
    const account = fc.constantFrom("a", "b");
    const harmless = fc.constantFrom<Record>("answered", "undecided", "forbidden");
    fc.assert(
      fc.property(fc.array(fc.tuple(harmless, account, pause_ms), { maxLength: 200 }), (steps) => {
        const { clock, record, allow } = setup();
        for (const [what, who, wait_ms] of steps) {
          clock.now_ms += wait_ms;
          record(what, 1, who);
          expect([allow("a"), allow("b"), allow("c")]).toEqual([true, true, true]);
        }
      }),
    );
  });

  test("nobody waits longer than 60 s, and then may probe", () => {
    const any = fc.oneof(outcome, fc.constant<Record>("refused"));
    const account = fc.constantFrom("a", "b", "c", "d");
    fc.assert(
      fc.property(fc.array(fc.tuple(any, account, pause_ms), { maxLength: 300 }), (steps) => {
        const { clock, breakers, record, allow } = setup();
        for (const [what, who, wait_ms] of steps) {
          clock.now_ms += wait_ms;
          if (allow(who)) record(what, 1, who);
          expect(breakers.waitMs("acme", "m", who)).toBeLessThanOrEqual(60_000);
        }
        clock.now_ms += 60_000;
        expect(allow("a")).toBe(true);
      }),
    );
  });
});
