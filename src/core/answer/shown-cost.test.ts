import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CODE_POINT } from "../../../proofs/support/code-point.ts";
import { MAX_MICRO, micro, unitsText } from "../money/money.ts";
import { bytesOf } from "./sent-body.ts";
import { bytesWithCost, COST_MARK, copyWithCost, costPlaceOf, withCost } from "./shown-cost.ts";

const charges = fc
  .oneof(fc.bigInt({ min: 0n, max: 3_000_000n }), fc.bigInt({ min: 0n, max: BigInt(MAX_MICRO) }))
  .map(micro);
/** Text of an answer around its usage: any characters, also those that take several bytes. */
const around = fc.tuple(fc.string({ unit: CODE_POINT, maxLength: 60 }), fc.string({ unit: CODE_POINT, maxLength: 60 }));

describe("the text of a cost", () => {
  test.each([
    [0, "0"],
    [1, "0.000001"],
    [100_000, "0.1"],
    [612, "0.000612"],
    [1_000_000, "1"],
    [100_000_000, "100"],
    [10_500_000, "10.5"],
    [9_007_199_254_740_991, "9007199254.740991"],
  ])("%i micro units are %s", (charge_micro, text) => {
    expect(unitsText(micro(charge_micro))).toBe(text);
  });

  test("is the shortest decimal of a JSON number that is the charge to the last micro unit", () => {
    fc.assert(
      fc.property(charges, (charge_micro) => {
        const text = unitsText(charge_micro);
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{0,5}[1-9])?$/);
        const [whole = "", fraction = ""] = text.split(".");
        expect(BigInt(whole + fraction.padEnd(6, "0"))).toBe(charge_micro);
        expect(JSON.parse(text)).toBe(Number(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the mark of a cost", () => {
  test("gives way to the charge in every form of a body, to the byte", () => {
    fc.assert(
      fc.property(around, fc.option(charges), fc.nat(80), ([before, behind], charge_micro, cut) => {
        const open = `{"a":${JSON.stringify(before)},"cost":`;
        const close = `,"b":${JSON.stringify(behind)}}`;
        const marked = open + JSON.stringify(COST_MARK) + close;
        const cost = charge_micro === null ? "null" : unitsText(charge_micro);
        const whole = Buffer.from(open + cost + close);
        const parts = [open.slice(0, cut), open.slice(cut) + JSON.stringify(COST_MARK), close];
        expect(bytesOf(withCost(marked, charge_micro))).toEqual(whole);
        expect(bytesOf(withCost(parts, charge_micro))).toEqual(whole);
        const bytes = Buffer.from(marked);
        const place = costPlaceOf(bytes);
        if (place !== null && charge_micro !== null)
          expect(Buffer.from(copyWithCost(bytes, place, charge_micro))).toEqual(whole);
        expect(Buffer.from(bytesWithCost(bytes, charge_micro))).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
  });

  test("where there is none, a body stays the same object", () => {
    for (const body of ["{}", ["{", "}"], Buffer.from("{}")]) expect(withCost(body, micro(5))).toBe(body);
    expect(costPlaceOf(Buffer.from("{}"))).toBeNull();
  });
});
