import { describe, expect, test } from "bun:test";
import { brokenGoals, GOALS, type Goal, limitOf } from "./goals.ts";
import type { Row } from "./lanes/lane.ts";
import { readWeight } from "./lanes/million.ts";
import { renderRows } from "./report.ts";
import { Rounds } from "./rounds.ts";

function row(id: string, value: number): Row {
  return { id, name: `what ${id} is`, value, noise: 0.04, from: "3 ÷ 2 µs" };
}

const AT_MOST: Goal = { row: "a", at_most: 1.3, gate: true };
const AT_LEAST: Goal = { row: "a", at_least: 0.8, gate: true };

describe("the goals of the gate", () => {
  test.each([
    ["is met exactly", AT_MOST, 1.3, 0],
    ["is missed from above", AT_MOST, 1.31, 1],
    ["is met from below", AT_LEAST, 0.8, 0],
    ["is missed from below", AT_LEAST, 0.79, 1],
    ["has no figure", AT_LEAST, Number.NaN, 1],
    ["is not of the gate", { ...AT_MOST, gate: false }, 9, 0],
  ])("say so when one %s", (_which, goal, value, broken) => {
    expect(brokenGoals([row("a", value)], [goal])).toHaveLength(broken);
  });

  test("do not judge what was not measured, or another checkout's rows", () => {
    expect(brokenGoals([row("before: a", 9)], [AT_MOST])).toEqual([]);
  });

  test("have one line for each row, with a limit", () => {
    expect(new Set(GOALS.map((goal) => goal.row)).size).toBe(GOALS.length);
    expect(GOALS.every((goal) => /^[≤≥] [\d.]+$/.test(limitOf(goal)))).toBe(true);
  });
});

describe("rounds", () => {
  const rounds = new Rounds();
  for (const [gateway, bare] of [
    [200, 100],
    [900, 300],
    [210, 100],
  ] as const) {
    rounds.add("gateway", { cpu_us: gateway });
    rounds.add("bare", { cpu_us: bare });
  }

  test("are compared one by one, so that a slow minute of the machine is in both figures", () => {
    expect(rounds.ratio("gateway", "bare", "cpu_us")).toBe(2.1);
    expect(rounds.median("gateway", "cpu_us")).toBe(210);
  });

  test("say how far they lie apart", () => {
    expect(rounds.spread("bare", "cpu_us")).toBe(2);
    expect(rounds.spread("nobody", "cpu_us")).toBeNaN();
  });

  test("are JSON as a subject's figures", () => {
    expect(JSON.parse(JSON.stringify(rounds)).bare).toEqual({ cpu_us: [100, 300, 100] });
  });
});

test("the lanes' table has the goal, whether it is kept, and the noise beside it", () => {
  const rows = [row("keys.sqlite.5000.cpu", 1.2), row("young.1.calls", 0.5), row("other", 7)];
  const table = renderRows([{ lane: "keys", seconds: 61, rows, rounds: new Rounds() }]);
  const [, kept, missed, other] = table.split("\n").map((line) => line.replace(/ {2,}/g, " | "));
  expect(kept).toBe("what keys.sqlite.5000.cpu is | 1.20 | ≤ 1.3 | kept | 4 % | 3 ÷ 2 µs");
  expect(missed).toBe("what young.1.calls is | 0.50 | ≥ 0.8 | missed | 4 % | 3 ÷ 2 µs");
  expect(other).toBe("what other is | 7.00 | 4 % | 3 ÷ 2 µs");
});

test("the weight of a filled database is read without days' usage", () => {
  const said = `5000 requests in 1 s, 5000 a second

5000 requests: 3.4 MB in all, 676.5 bytes a request
      1.0 MB   195.8 a request  28.9 %  requests
      0.5 MB   103.2 a request  15.3 %  usage_days
      0.2 MB    43.2 a request   6.4 %  sqlite_autoindex_usage_days_1
`;
  expect(readWeight(said)).toEqual({ requests: 5000, gb: expect.closeTo(0.0027), days_gb: expect.closeTo(0.0007) });
  expect(() => readWeight("nothing")).toThrow("nothing");
});
