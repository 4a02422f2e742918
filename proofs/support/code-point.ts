import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 } as const;
const LAST = 0x10ffff;

function textOf(no: number): string {
  return String.fromCodePoint(no < SURROGATES.first ? no : no + SURROGATES.count);
}

function numberOf(text: unknown): number {
  const code = typeof text === "string" ? text.codePointAt(0) : undefined;
  const no = code === undefined || code < SURROGATES.first ? code : code - SURROGATES.count;
  if (no === undefined || textOf(no) !== text) throw new Error("not one code point");
  return no;
}

/**
 * Any code point of Unicode, as the unit of a random text: what fast-check's "binary" draws. That makes a table of all 1.1 million of them for each
 * process, which takes a second.
 */
export const CODE_POINT: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map(textOf, numberOf);
