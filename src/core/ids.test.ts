import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { newId, newKeyId, randomBase62 } from "./ids.ts";

describe("random base-62 text", () => {
  test("has the requested length and consists of letters and digits", () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000 }), (length) => {
        const text = randomBase62(length);
        return text.length === length && /^[0-9A-Za-z]*$/.test(text);
      }),
      { numRuns: 50 },
    );
  });

  test("uses every character about equally often", () => {
    const draws = 62 * 4_000;
    const counts = new Map<string, number>();
    for (const character of randomBase62(draws)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // Chi-squared with 61 degrees of freedom: above 150 once in 10⁹ runs, and far above it if bytes were taken modulo 62.
    const chi_squared = [...counts.values()].reduce((sum, seen) => sum + (seen - 4_000) ** 2 / 4_000, 0);
    expect(chi_squared).toBeLessThan(150);
  });
});

describe("an identifier", () => {
  test("begins with its kind and is never repeated", () => {
    const ids = Array.from({ length: 50_000 }, () => newId("req"));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-Za-z]{22}$/);
  });

  test("of a key begins as its account's, whatever that looks like, and is never repeated", () => {
    const account_id = newId("acct");
    const ids = Array.from({ length: 1000 }, () => newKeyId(account_id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(new RegExp(`^key_${account_id.slice(5, 13)}[0-9A-Za-z]{14}$`));
    for (const other of ["acct_1", "1", "", "acct_ a'\u{1f600}"])
      expect(newKeyId(other)).toMatch(/^key_[0-9A-Za-z]{22}$/);
  });

  test("of a request sorts by time, so that an index of them grows at its end", async () => {
    const earlier = newId("req");
    await Bun.sleep(2);
    const later = newId("req");
    expect([later, earlier].sort()).toEqual([earlier, later]);
  });

  test("carries 128 bits: 22 characters of 62", () => {
    expect(22 * Math.log2(62)).toBeGreaterThan(128);
    expect(newId("acct").slice("acct_".length)).toHaveLength(22);
  });
});
