import { describe, expect, test } from "bun:test";
import { CredentialRests } from "./credential-rests.ts";

function setup() {
  const clock = { now_ms: 1000 };
  const rests = new CredentialRests(() => clock.now_ms);
  const allow = (account = "a", name = "one") => rests.allow("acme", name, account);
  return { clock, rests, allow };
}

describe("a credential that was limited", () => {
  test("rests for as long as its vendor says, for itself alone", () => {
    const { clock, rests, allow } = setup();
    expect(rests.limited("acme", "one", 7000)).toBe(7000);
    expect([allow(), allow("a", "two"), rests.allow("other", "one", "a")]).toEqual([false, true, true]);
    clock.now_ms += 7000;
    expect(allow()).toBe(true);
  });

  test("rests for 30 s where its vendor does not say, then twice as long each time, up to 10 minutes", () => {
    const { clock, rests, allow } = setup();
    const waits = Array.from({ length: 7 }, () => {
      const wait_ms = rests.limited("acme", "one", null);
      clock.now_ms += wait_ms;
      expect(allow()).toBe(true);
      return wait_ms;
    });
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    rests.answered("acme", "one", "a");
    expect(rests.limited("acme", "one", null)).toBe(30_000);
  });

  test("rests until the later of two ends, and calls that ran meanwhile do not double it", () => {
    const { clock, rests } = setup();
    rests.limited("acme", "one", 1000);
    expect(rests.limited("acme", "one", 60_000)).toBe(60_000);
    expect(rests.limited("acme", "one", 1000)).toBe(60_000);
    expect(rests.limited("acme", "one", null)).toBe(60_000);
    clock.now_ms += 60_000;
    expect(rests.limited("acme", "one", null)).toBe(60_000);
  });

  test("is tried by one request at a time after its rest", () => {
    const { clock, rests, allow } = setup();
    rests.limited("acme", "one", 1000);
    clock.now_ms += 1000;
    expect([allow("a"), allow("b")]).toEqual([true, false]);
    rests.undecided("acme", "one", "a");
    expect(allow("b")).toBe(true);
    rests.answered("acme", "one", "b");
    expect([allow("a"), allow("b"), allow("c")]).toEqual([true, true, true]);
  });

  test("never rests for less than a second, whatever its vendor says", () => {
    expect(setup().rests.limited("acme", "one", 0)).toBe(1000);
  });
});

describe("a credential that is forbidden", () => {
  test("rests for the account alone, as what it asks may be at fault", () => {
    const { clock, rests, allow } = setup();
    rests.forbidden("acme", "one", "a");
    rests.forbidden("acme", "one", "a");
    expect([allow("a"), allow("b")]).toEqual([false, true]);
    expect(rests.state("acme", "one")).toMatchObject({ state: "ready", accounts_alone: 1 });
    clock.now_ms += 30_000;
    expect(allow("a")).toBe(true);
  });

  test("rests for everybody once three accounts were", () => {
    const { rests, allow } = setup();
    for (const account of ["a", "b", "c"]) rests.forbidden("acme", "one", account);
    expect(allow("z")).toBe(false);
    expect(rests.state("acme", "one")).toMatchObject({ state: "resting", reason: "forbidden", wait_ms: 30_000 });
  });
});

test("a refused credential rests for everybody, and comes back by itself", () => {
  const { clock, rests, allow } = setup();
  rests.refused("acme", "one");
  expect(rests.state("acme", "one")).toMatchObject({ state: "resting", reason: "refused", wait_ms: 30_000 });
  expect([allow("a"), rests.waitMs("acme", "one", "b")]).toEqual([false, 30_000]);
  clock.now_ms += 30_000;
  expect(allow("a")).toBe(true);
});
