import { describe, expect, test } from "bun:test";
import { RowTexts } from "./row-texts.ts";

const SHARED = '"openai","gpt",200,null';
const texts = new RowTexts(new Map([[12, SHARED]]));

describe("attempts of rows", () => {
  test.each([
    { column: "#12,350,1200", first_byte_ms: 350, duration_ms: 1200 },
    { column: "#12,0,0", first_byte_ms: 0, duration_ms: 0 },
    { column: "#12,null,7", first_byte_ms: null, duration_ms: 7 },
    { column: "#12,1.5,2.25", first_byte_ms: 1.5, duration_ms: 2.25 },
    { column: "#12,1e3,1e21", first_byte_ms: 1000, duration_ms: 1e21 },
    { column: `[[${SHARED},3,4]]`, first_byte_ms: 3, duration_ms: 4 },
  ])("$column", ({ column, first_byte_ms, duration_ms }) => {
    const attempt = { vendor: "openai", upstream_model: "gpt", status: 200, error: null, first_byte_ms, duration_ms };
    // The first row with a reference is parsed whole, later ones have their times read.
    for (const read of [new RowTexts(new Map([[12, SHARED]])), texts]) {
      expect(read.attempts("#12,1,1")).toHaveLength(1);
      expect(read.attempts(column)).toEqual([attempt]);
    }
  });
});
