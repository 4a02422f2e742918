import { describe, expect, test } from "bun:test";
import { readOptions } from "./options.ts";
import { Summary } from "./summary.ts";
import { someHistory } from "./testing/some-history.ts";

test("a summary adds up rounds, calls, harms, money and findings", () => {
  const summary = new Summary();
  const harms = [{ kind: "kill" as const, node: 0, at_ms: 100, for_ms: 0, choice: 0 }];
  summary.add(someHistory(), harms, []);
  summary.add(someHistory(), harms, [{ kind: "lost", what: "one" }]);
  expect([summary.rounds, summary.calls, summary.asked, summary.found]).toEqual([2, 6, 6, 1]);
  expect(summary.lines()).toEqual([
    "rounds      2",
    "calls       6 (left 2, refused 2, whole 2); vendors were asked 6 times",
    "statuses    200 4, 502 2",
    "harms       kill 2",
    "vendors     none",
    "money       vendors counted 60 micro for whole answers, 120 micro were charged",
    "loss        none",
    expect.stringContaining("lost 1, doubled 0, invented 0, held 0"),
  ]);
});

describe("the command's arguments", () => {
  test("are read", () => {
    expect(readOptions(["--rounds", "200", "--minutes", "30", "--database", "sqlite", "--seed", "7"])).toEqual({
      rounds: 200,
      minutes: 30,
      databases: ["sqlite"],
      seed: 7,
      lanes: 1,
      only: null,
      faketime: undefined,
    });
    expect(readOptions([]).databases).toEqual(["sqlite", "postgres"]);
  });

  test.each([
    [["--rounds", "0"], '--rounds is "0"; allowed: a whole number from 1.'],
    [["--seed", "x"], '--seed is "x"; allowed: a whole number from 0.'],
    [["--only", "rain"], '--only has "rain"; allowed: kill, pause,'],
    [["--database", "mysql"], '--database is "mysql"; allowed: sqlite, postgres, cells, both, all.'],
  ])("%p are refused with what is allowed", (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
