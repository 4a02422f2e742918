import { describe, expect, test } from "bun:test";
import { type CipherBinding, ResponseCipher } from "./response-cipher.ts";
import { deriveSubKeys } from "./sub-keys.ts";

const cipher = new ResponseCipher(deriveSubKeys("a root secret for tests"));
const BINDING: CipherBinding = { account_id: "acct_1", response_key: "k", parent_key: null, part: "input" };
const PLAIN = new Uint8Array(Buffer.from("what was säid"));

describe("an encrypted part of a response", () => {
  test("opens for its own binding, and discloses nothing of the text", async () => {
    const encrypted = await cipher.encrypt(BINDING, PLAIN);
    expect(await cipher.decrypt(BINDING, encrypted)).toEqual(PLAIN);
    expect(Buffer.from(encrypted).toString("latin1")).not.toContain("what was");
    expect(await cipher.encrypt(BINDING, PLAIN)).not.toEqual(encrypted);
  });

  test("opens at any size", async () => {
    for (const size of [0, 128 * 1024, 128 * 1024 + 1, 3_000_000]) {
      const plain = new Uint8Array(size).fill(7);
      const opened = await cipher.decrypt(BINDING, await cipher.encrypt(BINDING, plain));
      expect(Buffer.compare(opened ?? Buffer.of(1), plain)).toBe(0);
    }
  });

  test.each<[string, Partial<CipherBinding>]>([
    ["another account", { account_id: "acct_2" }],
    ["another response", { response_key: "l" }],
    ["another response before it", { parent_key: "p" }],
    ["another part", { part: "output" }],
  ])("does not open for %s", async (_, other) => {
    expect(await cipher.decrypt({ ...BINDING, ...other }, await cipher.encrypt(BINDING, PLAIN))).toBeNull();
  });

  test("does not open under another secret", async () => {
    const other = new ResponseCipher(deriveSubKeys("a changed root secret"));
    expect(await other.decrypt(BINDING, await cipher.encrypt(BINDING, PLAIN))).toBeNull();
  });

  test("does not open once any byte was changed or cut off", async () => {
    const encrypted = await cipher.encrypt(BINDING, PLAIN);
    for (let at = 0; at < encrypted.length; at += 1) {
      const changed = Uint8Array.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await cipher.decrypt(BINDING, changed)).toBeNull();
      expect(await cipher.decrypt(BINDING, encrypted.subarray(0, at))).toBeNull();
    }
  });
});

test("an id has a different key on each account", () => {
  expect(cipher.keyOf("acct_1", "resp_1")).toMatch(/^[0-9a-f]{32}$/);
  expect(cipher.keyOf("acct_1", "resp_1")).toBe(cipher.keyOf("acct_1", "resp_1"));
  expect(cipher.keyOf("acct_1", "resp_1")).not.toBe(cipher.keyOf("acct_2", "resp_1"));
  expect(cipher.keyOf("acct_1", "resp_1")).not.toBe(cipher.keyOf("acct_1", "resp_2"));
});
