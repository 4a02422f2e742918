import { describe, expect, test } from "bun:test";
import { Breakers } from "./breaker.ts";

function setup() {
  const clock = { now_ms: 0 };
  return { clock, breakers: new Breakers(() => clock.now_ms) };
}

function fail(breakers: Breakers, times: number): void {
  for (let time = 0; time < times; time += 1) breakers.failed("acme", "m");
}

describe("a circuit breaker", () => {
  test("stays closed below five failures in a row", () => {
    const { breakers } = setup();
    fail(breakers, 4);
    expect(breakers.allow("acme", "m")).toBe(true);
    expect(breakers.state("acme", "m")).toBe("closed");
  });

  test("counts from zero again after a success", () => {
    const { breakers } = setup();
    fail(breakers, 4);
    breakers.succeeded("acme", "m");
    fail(breakers, 4);
    expect(breakers.allow("acme", "m")).toBe(true);
  });

  test("opens at the fifth failure, for that vendor and model alone", () => {
    const { breakers } = setup();
    fail(breakers, 5);
    expect(breakers.allow("acme", "m")).toBe(false);
    expect(breakers.waitMs("acme", "m")).toBe(30_000);
    expect(breakers.allow("acme", "other")).toBe(true);
    expect(breakers.allow("other", "m")).toBe(true);
  });

  test("lets exactly one probe through after the pause", () => {
    const { clock, breakers } = setup();
    fail(breakers, 5);
    clock.now_ms = 30_000;
    expect(breakers.state("acme", "m")).toBe("half-open");
    expect([breakers.allow("acme", "m"), breakers.allow("acme", "m")]).toEqual([true, false]);
  });

  test("closes when the probe succeeds", () => {
    const { clock, breakers } = setup();
    fail(breakers, 5);
    clock.now_ms = 30_000;
    breakers.allow("acme", "m");
    breakers.succeeded("acme", "m");
    expect(breakers.state("acme", "m")).toBe("closed");
  });

  test("pauses longer each time a probe fails, up to five minutes", () => {
    const { clock, breakers } = setup();
    fail(breakers, 5);
    const pauses: number[] = [];
    for (let probe = 0; probe < 12; probe += 1) {
      clock.now_ms += breakers.waitMs("acme", "m");
      expect(breakers.allow("acme", "m")).toBe(true);
      breakers.failed("acme", "m");
      pauses.push(breakers.waitMs("acme", "m"));
    }
    expect(pauses.slice(0, 3)).toEqual([60_000, 90_000, 120_000]);
    expect(Math.max(...pauses)).toBe(300_000);
  });

  test("does not lengthen its pause for failures of requests that were running when it opened", () => {
    const { breakers } = setup();
    fail(breakers, 50);
    expect(breakers.waitMs("acme", "m")).toBe(30_000);
  });

  test("closes when its vendor's failures are forgotten, while other vendors' circuits stay open", () => {
    const { breakers } = setup();
    fail(breakers, 5);
    for (let time = 0; time < 5; time += 1) breakers.failed("acme-eu", "m");
    breakers.forget("acme");
    expect([breakers.state("acme", "m"), breakers.state("acme-eu", "m")]).toEqual(["closed", "open"]);
  });

  test("lets the next request probe after a probe without a verdict", () => {
    const { clock, breakers } = setup();
    fail(breakers, 5);
    clock.now_ms = 30_000;
    breakers.allow("acme", "m");
    breakers.undecided("acme", "m");
    expect(breakers.allow("acme", "m")).toBe(true);
  });
});
