import { expect, test } from "bun:test";
import { deriveSubKeys, MIN_SECRET_LENGTH } from "./sub-keys.ts";

const SECRET = "a root secret for tests";

test("every purpose has a key of its own of 32 bytes", () => {
  const derived = Object.values(deriveSubKeys(SECRET)).map((key: Uint8Array) => Buffer.from(key).toString("hex"));
  expect(new Set(derived).size).toBe(9);
  for (const hex of derived) expect(hex).toHaveLength(64);
});

test("equal secrets give equal keys, and another secret gives other keys", () => {
  expect(deriveSubKeys(SECRET)).toEqual(deriveSubKeys(SECRET));
  expect(deriveSubKeys(SECRET).key_mac).not.toEqual(deriveSubKeys(`${SECRET}!`).key_mac);
});

test("a secret that could be guessed is refused, with advice", () => {
  expect(() => deriveSubKeys("x".repeat(MIN_SECRET_LENGTH - 1))).toThrow(/at least 16.*Leave it unset/);
  expect(() => deriveSubKeys("")).toThrow(/CAMINO_SECRET has 0 characters/);
});
