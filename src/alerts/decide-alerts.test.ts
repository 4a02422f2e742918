import { describe, expect, test } from "bun:test";
import type { AlertFinding, AlertRow } from "../core/deliveries/alerts.ts";
import { decideAlerts, MOST_PER_HOUR } from "./decide-alerts.ts";
import { finding } from "./find-alerts.ts";

/** When something is told, and when it is not: as the look of a gateway after the other sees it. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A scope's alerts over time, without a database. */
class Scope {
  rows: readonly AlertRow[] = [];
  now_ms = 1_000 * DAY_MS;
  readonly #told: { type: string; at_ms: number }[] = [];

  look(findings: readonly AlertFinding[], { after_ms = MINUTE_MS, is_whole = true } = {}): object[] {
    this.now_ms += after_ms;
    const recent = new Map<string, number>();
    for (const { type, at_ms } of this.#told)
      if (at_ms > this.now_ms - HOUR_MS) recent.set(type, (recent.get(type) ?? 0) + 1);
    const { put, drop, tell } = decideAlerts({ rows: this.rows, recent, now_ms: this.now_ms }, { findings, is_whole });
    const changed = new Set([...put, ...drop].map(({ type, subject }) => `${type} ${subject}`));
    this.rows = [...this.rows.filter(({ type, subject }) => !changed.has(`${type} ${subject}`)), ...put];
    this.#told.push(...tell.map(({ type }) => ({ type, at_ms: this.now_ms })));
    return tell.map(({ type, data }) => ({ type, ...data }));
  }
}

const low = (subject = "acct_1", is_margin = false): AlertFinding =>
  finding("balance.low", { subject, holds: is_margin ? "margin" : "yes", data: { account: subject } });
const budget = (level: number): AlertFinding =>
  finding("budget.reached", { subject: "key key_1", level, data: { percent: level } });

describe("an alert", () => {
  test("is told once, once more after a day, and then no more, and its end is told", () => {
    const scope = new Scope();
    expect(scope.look([low()])).toEqual([{ type: "balance.low", account: "acct_1" }]);
    for (let n = 0; n < 100; n += 1) expect(scope.look([low()])).toEqual([]);
    expect(scope.look([low()], { after_ms: DAY_MS })).toEqual([
      { type: "balance.low", account: "acct_1", still: true },
    ]);
    expect(scope.look([low()], { after_ms: 3 * DAY_MS })).toEqual([]);
    expect(scope.look([])).toMatchObject([{ type: "balance.low.ended", account: "acct_1" }]);
    expect(scope.look([])).toEqual([]);
    expect(scope.rows).toEqual([]);
  });

  test("that goes up and down by a little is told once", () => {
    const scope = new Scope();
    expect(scope.look([low("acct_1", true)])).toEqual([]);
    expect(scope.look([low()])).toHaveLength(1);
    for (let n = 0; n < 50; n += 1) expect(scope.look([low("acct_1", n % 2 === 0)])).toEqual([]);
  });

  test("of a budget is told again at each higher level, with the highest alone where it jumps, and ends once", () => {
    const scope = new Scope();
    expect(scope.look([budget(50)])).toMatchObject([{ percent: 50 }]);
    expect(scope.look([budget(80)])).toMatchObject([{ percent: 80 }]);
    expect(scope.look([budget(50)])).toEqual([]);
    expect(scope.look([budget(100)])).toMatchObject([{ percent: 100 }]);
    expect(scope.look([])).toMatchObject([{ type: "budget.reached.ended" }]);
    expect(new Scope().look([budget(100)])).toMatchObject([{ percent: 100 }]);
  });

  test("ends with what is true then, and with its names alone where nothing is known of it any more", () => {
    const empty = { type: "balance.empty", subject: "acct_1", account_id: "acct_1" } as const;
    const name = { account: "acct_1", account_name: "studio" };
    const began = finding(empty.type, { ...empty, data: { ...name, balance_micro: 0 } });
    const over = finding(empty.type, { ...empty, holds: "no", data: { ...name, balance_micro: 9 } });
    const scope = new Scope();
    expect(scope.look([over])).toEqual([]);
    scope.look([began]);
    expect(scope.look([over])).toEqual([{ type: "balance.empty.ended", ...name, balance_micro: 9 }]);
    expect(scope.look([over])).toEqual([]);
    scope.look([began]);
    expect(scope.look([])).toEqual([{ type: "balance.empty.ended", ...name }]);
  });

  test("of something that happened is told once, and has no end", () => {
    const scope = new Scope();
    const unpriced = finding("usage.unpriced", { subject: "m 2026-11-28", data: { model: "m" } });
    expect(scope.look([unpriced], { is_whole: false })).toHaveLength(1);
    for (let n = 0; n < 10; n += 1) expect(scope.look(n % 2 === 0 ? [] : [unpriced])).toEqual([]);
    expect(scope.look([], { after_ms: 3 * DAY_MS })).toEqual([]);
    expect(scope.rows).toEqual([]);
  });

  test("is not ended by a look at one thing alone", () => {
    const scope = new Scope();
    scope.look([low()]);
    expect(scope.look([], { is_whole: false })).toEqual([]);
    expect(scope.look([low()])).toEqual([]);
  });

  test("of a circuit has an end with a name of its own", () => {
    const scope = new Scope();
    const opened = finding("circuit.opened", { subject: "v m", data: { vendor: "v", model: "m" } });
    expect(scope.look([opened])).toMatchObject([{ type: "circuit.opened" }]);
    expect(scope.look([])).toMatchObject([{ type: "circuit.closed", vendor: "v" }]);
  });
});

describe("many alerts", () => {
  test("at once are told in one, which names some and counts all", () => {
    const scope = new Scope();
    const many = Array.from({ length: 500 }, (_, n) => low(`acct_${n}`));
    const [told, ...others] = scope.look(many);
    expect(others).toEqual([]);
    expect(told).toMatchObject({ type: "balance.low", count: 500 });
    expect((told as { alerts: object[] }).alerts).toHaveLength(20);
    expect(scope.look([])).toMatchObject([{ type: "balance.low.ended", count: 500 }]);
  });

  test("one after the other are at most so many an hour, and all are told in the end", () => {
    const scope = new Scope();
    const open: AlertFinding[] = [];
    let told = 0;
    for (let n = 0; n < 40; n += 1) {
      open.push(low(`acct_${n}`));
      told += scope.look(open).length;
    }
    expect(told).toBe(MOST_PER_HOUR);
    expect(scope.look(open, { after_ms: HOUR_MS })).toMatchObject([{ count: 30 }]);
  });

  test("that begin and end while there is no room are told of neither", () => {
    const scope = new Scope();
    for (let n = 0; n < MOST_PER_HOUR; n += 1) scope.look([low(`acct_${n}`)]);
    expect(scope.look([low("acct_x")]).filter((each) => JSON.stringify(each).includes("acct_x"))).toEqual([]);
    const rest = [...scope.look([]), ...scope.look([], { after_ms: 2 * HOUR_MS })];
    expect(JSON.stringify(rest)).not.toContain("acct_x");
  });
});
