import { expect, test } from "bun:test";
import { csv } from "./csv.ts";

const CELLS: [value: string | number | null, written: string][] = [
  ["plain", "plain"],
  [-5, "-5"],
  [null, ""],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
];
for (const [value, written] of CELLS) {
  test(`the cell ${JSON.stringify(value)} is written ${JSON.stringify(written)}`, () => {
    expect(csv([[value, 1]])).toBe(`${written},1\r\n`);
  });
}
