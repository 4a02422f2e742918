import { describe, expect, test } from "bun:test";
import { formatSizes, measureSizes } from "./measure-sizes.ts";

const file = (path: string, text: string) => ({ path, text });

describe("measuring sizes", () => {
  test("counts lines, functions with their bodies, and casts but for `as const`, by room", () => {
    const ledger = [
      "export function hold(amount: unknown): number {",
      "  const twice = () => (amount as number) * 2;",
      "  return twice();",
      "}",
      'export const KINDS = ["held", "settled"] as const;',
      "",
    ].join("\n");
    const [core, room] = measureSizes([
      file("src/ledger/hold.ts", ledger),
      file("src/core/ids.ts", "export const id = 1;\n"),
    ]);
    expect(core).toEqual({ room: "core", file_lines: [1], function_lines: [], casts: 0 });
    expect(room).toEqual({ room: "ledger", file_lines: [5], function_lines: [1, 4], casts: 1 });
  });

  test("leaves tests, scripts and declarations out", () => {
    const files = ["src/core/a.test.ts", "proofs/suites/a.ts", "scripts/a.ts", "src/observe/a.d.ts", "docs/a.md"];
    expect(measureSizes(files.map((path) => file(path, "export const a = 1;\n")))).toEqual([]);
  });

  test("measures a component of the console", () => {
    const [console_] = measureSizes([
      file("console/src/page.tsx", "export const Page = () => (\n  <p>Hello</p>\n);\n"),
    ]);
    expect(console_).toMatchObject({ room: "console", file_lines: [3], function_lines: [3] });
  });

  test("prints a row for each room and one for all rooms together", () => {
    const lines = formatSizes([
      { room: "core", file_lines: [1, 2, 30], function_lines: [4], casts: 0 },
      { room: "store", file_lines: [67], function_lines: [], casts: 1 },
    ]).split("\n");
    expect(lines.map((line) => line.split(/\s{2,}/))).toEqual([
      ["room", "files", "lines", "median", "p90", "largest", "functions", "p90", "largest", "casts per 1,000 lines"],
      ["core", "3", "33", "2", "30", "30", "1", "4", "4", "0.0"],
      ["store", "1", "67", "67", "67", "67", "0", "0", "0", "14.9"],
      ["all", "4", "100", "2", "67", "67", "1", "4", "4", "10.0"],
    ]);
  });
});
