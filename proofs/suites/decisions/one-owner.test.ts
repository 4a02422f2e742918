import { describe, expect, test } from "bun:test";
import { type Scenario, ThrowAtEachCall } from "../failures/support/throw-at-each-call.ts";
import { SHAPES } from "./support/questions.ts";

/** As proofs/suites/failures/one-owner.test.ts, for decisions: by a vendor and by the engine. */

const throwing = new ThrowAtEachCall();
const PATIENCE_MS = 60_000;

const ROWS = Object.values(SHAPES).flatMap(({ path, body }) =>
  ["acme/engine", "native/decider"].flatMap((model) =>
    (["never", "once the vendor is asked"] as const).map((leaves): Scenario & { name: string } => ({
      name: `${path} by ${model}, the client leaves ${leaves}`,
      path,
      body: body(model),
      leaves,
    })),
  ),
);

describe("whatever throws, the decision ends in order", () => {
  test.each(ROWS)("$name", async (scenario) => throwing.expectOrder(scenario), PATIENCE_MS);
});

test("every part of the pipeline was made to throw", () => {
  const parts = new Set([...throwing.fired].map((name) => name.slice(0, name.indexOf("."))));
  for (const part of ["ledger", "upstream", "meters", "codec", "decisions", "estimator", "metrics", "EdgeCall"])
    expect(parts).toContain(part);
});

test("nothing is held at the end", async () => {
  const { store, account_id } = throwing.gateway;
  const account = await store.accounts.findAccount(account_id);
  expect(String(account?.held_micro)).toBe("0");
});
