import { describe, expect, test } from "bun:test";
import { Breakers } from "./breaker.ts";

/** The changes that the circuits record of themselves, for the vendors' history. */

function scene() {
  const clock = { now_ms: 1000 };
  const breakers = new Breakers(() => clock.now_ms, 30_000);
  const told = () =>
    breakers.changes
      .unwritten()
      .map(({ account_id, state, reason, attempts, failures }) => [
        ...[account_id, state, reason],
        ...(state === "opened" ? [attempts, failures] : []),
      ]);
  return { clock, breakers, told };
}

describe("a circuit tells", () => {
  test("that it opened for everybody as no connection was made, and closed when the probe was answered", () => {
    const { clock, breakers, told } = scene();
    for (let n = 0; n < 5; n += 1) breakers.refused("acme", "swift", "acct_1");
    clock.now_ms += 30_000;
    expect(breakers.allow("acme", "swift", "acct_1")).toBe(true);
    breakers.refused("acme", "swift", "acct_1");
    clock.now_ms += 60_000;
    expect(breakers.allow("acme", "swift", "acct_1")).toBe(true);
    breakers.succeeded("acme", "swift", "acct_1");
    // A probe that fails opens nothing that was closed.
    expect(told()).toEqual([
      [null, "opened", "unreachable", 5, 5],
      [null, "closed", "answered"],
    ]);
    const [opened] = breakers.changes.unwritten();
    expect(opened).toMatchObject({ vendor: "acme", upstream_model: "swift", age_ms: 90_000 });
  });

  test("that it opened for one account alone, and then for everybody in its place", () => {
    const { breakers, told } = scene();
    for (let n = 0; n < 20; n += 1) breakers.failed("acme", "swift", "acct_1");
    for (let n = 0; n < 5; n += 1) breakers.refused("acme", "swift", "acct_2");
    expect(told()).toEqual([
      ["acct_1", "opened", "failures", 20, 20],
      [null, "opened", "unreachable", 5, 5],
      ["acct_1", "closed", "for_everybody"],
    ]);
  });

  test.each(["tested", "credential"] as const)("why an administrator closed it: %s", (reason) => {
    const { breakers, told } = scene();
    for (let n = 0; n < 20; n += 1) breakers.failed("acme", "swift", "acct_1");
    if (reason === "tested") breakers.close("acme", "swift");
    else breakers.forget("acme");
    expect(told()).toEqual([
      ["acct_1", "opened", "failures", 20, 20],
      ["acct_1", "closed", reason],
    ]);
  });
});

test("written changes are not returned again, later changes are, and at most a thousand changes wait", () => {
  const { breakers } = scene();
  const { changes } = breakers;
  const note = () =>
    changes.note({
      ...{ vendor: "acme", upstream_model: "swift", account_id: null, state: "opened", reason: "failures" },
      ...{ attempts: 20, failures: 10 },
    });
  for (let n = 0; n < 1500; n += 1) note();
  const waiting = changes.unwritten();
  expect(waiting).toHaveLength(1000);
  note();
  changes.written(waiting.at(-1)?.no ?? 0);
  expect(changes.unwritten().map(({ no }) => no)).toEqual([(waiting.at(-1)?.no ?? 0) + 1]);
});
