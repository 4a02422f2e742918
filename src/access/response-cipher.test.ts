import { describe, expect, test } from "bun:test";
import { ResponseCipher, type CipherBinding } from "./response-cipher.ts";
import { deriveSubKeys } from "./sub-keys.ts";

const seal = new ResponseCipher(deriveSubKeys("a root secret for tests"));
const BINDING: CipherBinding = { account_id: "acct_1", response_key: "k", parent_key: null, part: "input" };
const PLAIN = new Uint8Array(Buffer.from("what was säid"));

describe("a sealed part of a response", () => {
  test("opens for its own binding, and discloses nothing of the text", async () => {
    const sealed = await seal.seal(BINDING, PLAIN);
    expect(await seal.open(BINDING, sealed)).toEqual(PLAIN);
    expect(Buffer.from(sealed).toString("latin1")).not.toContain("what was");
    expect(await seal.seal(BINDING, PLAIN)).not.toEqual(sealed);
  });

  test("opens at any size", async () => {
    for (const size of [0, 128 * 1024, 128 * 1024 + 1, 3_000_000]) {
      const plain = new Uint8Array(size).fill(7);
      const opened = await seal.open(BINDING, await seal.seal(BINDING, plain));
      expect(Buffer.compare(opened ?? Buffer.of(1), plain)).toBe(0);
    }
  });

  test.each<[string, Partial<CipherBinding>]>([
    ["another account", { account_id: "acct_2" }],
    ["another response", { response_key: "l" }],
    ["another response before it", { parent_key: "p" }],
    ["another part", { part: "output" }],
  ])("does not open for %s", async (_, other) => {
    expect(await seal.open({ ...BINDING, ...other }, await seal.seal(BINDING, PLAIN))).toBeNull();
  });

  test("does not open under another secret", async () => {
    const other = new ResponseCipher(deriveSubKeys("a changed root secret"));
    expect(await other.open(BINDING, await seal.seal(BINDING, PLAIN))).toBeNull();
  });

  test("does not open once any byte was changed or cut off", async () => {
    const sealed = await seal.seal(BINDING, PLAIN);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Uint8Array.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await seal.open(BINDING, changed)).toBeNull();
      expect(await seal.open(BINDING, sealed.subarray(0, at))).toBeNull();
    }
  });
});

test("an id has a different key on each account", () => {
  expect(seal.keyOf("acct_1", "resp_1")).toMatch(/^[0-9a-f]{32}$/);
  expect(seal.keyOf("acct_1", "resp_1")).toBe(seal.keyOf("acct_1", "resp_1"));
  expect(seal.keyOf("acct_1", "resp_1")).not.toBe(seal.keyOf("acct_2", "resp_1"));
  expect(seal.keyOf("acct_1", "resp_1")).not.toBe(seal.keyOf("acct_1", "resp_2"));
});
