import { describe, expect, test } from "bun:test";
import { LARGE_BYTES } from "../../../src/pipeline/request/sizes.ts";
import { chat, messages, responses, STYLES, type Style } from "./support/styles.ts";
import { type Scenario, ThrowAtEachCall } from "./support/throw-at-each-call.ts";

/**
 * From admission on a request has one owner (docs/rulings.md 159): whichever call of whichever part of the pipeline throws,
 * the hold ends within seconds, with one charge or none, the vendor's call is closed, and a 500 is not charged.
 */

const throwing = new ThrowAtEachCall();
const PATIENCE_MS = 240_000;

interface Row extends Scenario {
  readonly name: string;
}

function row(style: Style, how: "streamed" | "whole", model: string, leaves: Scenario["leaves"] = "never"): Row {
  const name = `${style.endpoint}, ${how} by ${model}, the client leaves ${leaves}`;
  const stream = how === "streamed";
  return { name, path: style.path(model, { stream }), body: style.body(model, { stream, cap: 1000 }), leaves };
}

/** The same with a body that another thread works on (docs/adr/0027-body-workers.md). */
function large({ name, body, ...rest }: Row): Row {
  return { ...rest, name: `${name}, with a large body`, body: { ...body, padding: "x".repeat(LARGE_BYTES) } };
}

const ROWS: readonly Row[] = [
  ...STYLES.flatMap((style) => [row(style, "streamed", "acme/unreported"), row(style, "whole", "acme/unreported")]),
  row(messages, "streamed", "chatty/unreported"),
  row(responses, "whole", "chatty/unreported"),
  row(chat, "whole", "acme/refusing"),
  ...STYLES.map((style) => row(style, "streamed", "acme/breaks")),
  ...STYLES.map((style) => row(style, "streamed", "acme/stalls", "after some bytes")),
  row(messages, "streamed", "drains/slow", "after some bytes"),
  row(chat, "whole", "aborts/stalls", "once the vendor is asked"),
  row(chat, "whole", "drains/slow", "once the vendor is asked"),
  large(row(chat, "whole", "acme/unreported")),
  large(row(messages, "streamed", "chatty/unreported")),
  large(row(chat, "streamed", "acme/stalls", "after some bytes")),
];

describe("whatever throws, the request ends in order", () => {
  test.each(ROWS)("$name", async (scenario) => throwing.expectOrder(scenario), PATIENCE_MS);
});

describe("a member's name that no header can carry is named all the same, and the answer comes", () => {
  test.each([
    ["Chinese", "漢", "%E6%BC%A2"],
    ["half a character", "\ud800", "%EF%BF%BD"],
    ["a line break", "a\r\nset-cookie: b", "a%0D%0Aset-cookie:%20b"],
    ["too long", "x".repeat(5000), "+1"],
  ])("%s", async (_what, member, named) => {
    const { url, key } = throwing.gateway;
    for (const how of ["streamed", "whole"]) {
      const { path, body } = row(chat, how === "whole" ? "whole" : "streamed", "wordy/echo");
      const answer = await fetch(url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ ...body, [member]: 1 }),
      });
      expect([answer.status, answer.headers.get("x-camino-ignored")]).toEqual([200, named]);
      expect(await answer.text()).toContain('"finish_reason":"stop"');
    }
  });
});

test("every part of the pipeline was made to throw", () => {
  const names = [...throwing.fired];
  const parts = new Set(names.map((name) => name.slice(0, name.indexOf("."))));
  for (const part of [
    "ledger",
    "upstream",
    "breakers",
    "meters",
    "way",
    "memory",
    "estimator",
    "large_bodies",
    "clock",
    "log",
  ])
    expect(parts).toContain(part);
  for (const part of ["metrics", "access_log", "EdgeCall", "ClientConnection"]) expect(parts).toContain(part);
  for (const call of ["ledger.settle", "ledger.void", "estimator.estimate", "EdgeCall.write", "EdgeCall.learn"])
    expect(names).toContain(call);
});

test("nothing is held at the end", async () => {
  const { store, account_id } = throwing.gateway;
  const account = await store.accounts.findAccount(account_id);
  expect(String(account?.held_micro)).toBe("0");
});
