import { expect, test } from "bun:test";
import { deriveSubKeys } from "../sub-keys.ts";
import { csrfToken, hashToken, isCsrfToken, keyedHash, newToken } from "./tokens.ts";

const keys = deriveSubKeys("a root secret for tests");
const others = deriveSubKeys("another secret for tests");

test("tokens have 256 bits and never repeat", () => {
  const made = new Set(Array.from({ length: 1000 }, newToken));
  expect(made.size).toBe(1000);
  for (const token of made) expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
});

test("the stored hash of a token depends on the secret and on the token's use", () => {
  const token = newToken();
  const hashes = [
    hashToken(keys, "session", token),
    hashToken(keys, "link", token),
    hashToken(others, "session", token),
    csrfToken(keys, token),
    keyedHash(keys, token),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  for (const hash of hashes) expect(hash).not.toContain(token);
  expect(hashToken(keys, "session", token)).toBe(hashes[0] ?? "");
});

test("a page's token is valid for its own session alone", () => {
  const [mine, other] = [newToken(), newToken()];
  expect(isCsrfToken(keys, mine, csrfToken(keys, mine))).toBe(true);
  for (const wrong of [csrfToken(keys, other), csrfToken(others, mine), "", mine, `${csrfToken(keys, mine)}x`])
    expect(isCsrfToken(keys, mine, wrong)).toBe(false);
});
