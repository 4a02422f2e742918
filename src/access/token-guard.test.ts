import { expect, test } from "bun:test";
import { GatewayError } from "../core/errors.ts";
import { MIN_TOKEN_LENGTH, weaknessOf } from "../core/strong-token.ts";
import { TokenGuard } from "./token-guard.ts";

const TOKEN = "a-token-of-the-operator";

/** A guard on a clock that only the test moves. */
function scene(token = TOKEN) {
  let now_ms = 0;
  const pass = (ms: number): void => {
    now_ms += ms;
  };
  const told: (string | null)[] = [];
  const guard = new TokenGuard(token, () => now_ms, { onGuessing: (address) => told.push(address) });
  const judge = (found: string, address: string | null): string => {
    try {
      return guard.judge(found, address);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return `${thrown.code} ${thrown.headers["retry-after"]}`;
      throw thrown;
    }
  };
  return { judge, told, pass };
}

test("the wait for guesses from one address grows from a second to a minute, and guessing on does not prolong it", () => {
  const { judge, told, pass } = scene();
  for (let n = 0; n < 10; n++) expect(judge(`guess ${n}`, "203.0.113.7")).toBe("wrong");
  const waits: string[] = [];
  for (let n = 0; n < 8; n++) {
    const refused = judge("guess", "203.0.113.7");
    for (let again = 0; again < 50; again++) expect(judge("guess", "203.0.113.7")).toBe(refused);
    waits.push(refused.split(" ")[1] ?? "");
    pass(Number(waits.at(-1)) * 1000);
    expect(judge("guess", "203.0.113.7")).toBe("wrong");
  }
  expect(waits.join(" ")).toBe("1 2 4 8 16 32 60 60");
  expect(told).toEqual(["203.0.113.7"]);
});

test("while an address waits, even the right token is not read there, and is right everywhere else", () => {
  const { judge, pass } = scene();
  for (let n = 0; n < 10; n++) judge("guess", "203.0.113.7");
  expect(judge(TOKEN, "203.0.113.7")).toBe("rate_limit_exceeded 1");
  expect(judge(TOKEN, "198.51.100.1")).toBe("right");
  pass(1000);
  expect(judge(TOKEN, "203.0.113.7")).toBe("right");
});

test("an address that has shown the right token is never made to wait for it, whoever guesses from there", () => {
  const { judge } = scene();
  expect(judge(TOKEN, "203.0.113.7")).toBe("right");
  for (let n = 0; n < 100; n++) judge("guess", "203.0.113.7");
  expect(judge("guess", "203.0.113.7")).toStartWith("rate_limit_exceeded");
  expect(judge(TOKEN, "203.0.113.7")).toBe("right");
});

test("addresses of one network count together", () => {
  const { judge } = scene();
  for (let n = 0; n < 10; n++) judge("guess", `2001:db8:1:2::${n}`);
  expect(judge("guess", "2001:db8:1:2::ffff")).toStartWith("rate_limit_exceeded");
  expect(judge("guess", "2001:db8:1:3::1")).toBe("wrong");
});

test("without a configured token every presented token is wrong", () => {
  expect(scene("").judge("", "203.0.113.7")).toBe("wrong");
});

const WEAK: [token: string, weakness: RegExp | null][] = [
  ["", /has 0 characters; it needs at least 16.*openssl rand/],
  ["a", /has 1 characters/],
  ["x".repeat(MIN_TOKEN_LENGTH - 1), /has 15 characters/],
  ["x".repeat(MIN_TOKEN_LENGTH), null],
  ["a token with some spaces", /has a space/],
  ["schlüssel-schlüssel", /outside ASCII/],
];
for (const [token, weakness] of WEAK) {
  test(`${JSON.stringify(token)} as a token: ${weakness?.source ?? "taken"}`, () => {
    if (weakness === null) expect(weaknessOf(token)).toBeNull();
    else expect(weaknessOf(token)).toMatch(weakness);
  });
}
