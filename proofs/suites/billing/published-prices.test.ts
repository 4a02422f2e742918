import { expect, test } from "bun:test";
import { compare, type PublishedCase } from "../../support/published-charge.ts";

/**
 * Prices of real models with usages, and the totals of an independent calculator (genai-prices 0.2.3, MIT): the
 * gateway's charge is the total rounded up to whole micro units, whichever protocol reports the usage.
 */
const cases = (await Bun.file(
  new URL("../../fixtures/prices/published-usages.json", import.meta.url),
).json()) as PublishedCase[];

test("charges of published prices are exact in every protocol that can report the usage", () => {
  const compared = [...compare(cases)];
  expect(compared.filter(({ ours, theirs }) => ours !== theirs)).toEqual([]);
  expect(compared.length).toBeGreaterThan(300);
  const classes = new Set(compared.flatMap(({ counts }) => Object.keys(counts)));
  for (const name of ["input_audio_tokens", "output_image_tokens", "cache_write_1h_tokens", "web_searches"]) {
    expect(classes).toContain(name);
  }
  expect(compared.every(({ theirs }) => theirs >= 0n) && compared.some(({ theirs }) => theirs > 1000n)).toBe(true);
});
