import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BLOCKS, placeOf, ROOT, readBlocks } from "./support/blocks.ts";
import { kindOf, NOT_RUN, staleExceptions } from "./support/kinds.ts";

/** Every block of the documents is tried by a test, or is on a short list that says why not. */

/** As many blocks as are not run today: the list may only become shorter. */
const MOST_NOT_RUN = 4;

describe("the blocks of the documents", () => {
  test("each are of a kind that says what tries them", () => {
    expect(BLOCKS.length).toBeGreaterThan(60);
    expect(BLOCKS.filter((block) => kindOf(block) === null).map(placeOf)).toEqual([]);
  });

  test("that no test runs are few, and each has its reason", () => {
    const not_run = BLOCKS.filter((block) => kindOf(block)?.kind === "not run");
    expect(not_run).toHaveLength(NOT_RUN.length);
    expect(NOT_RUN.length).toBeLessThanOrEqual(MOST_NOT_RUN);
    expect(NOT_RUN.filter(({ because = "" }) => because.length < 20)).toEqual([]);
  });

  test("that other suites run name suites that there are", () => {
    const suites = BLOCKS.flatMap((block) => kindOf(block)?.exception?.run_by ?? []);
    expect(suites.length).toBeGreaterThan(0);
    expect(suites.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("are all that the exceptions speak of", () => {
    expect(staleExceptions(BLOCKS)).toEqual([]);
  });

  test("that are drawings have no commands in them", () => {
    const drawings = BLOCKS.filter((block) => kindOf(block)?.kind === "drawing");
    expect(drawings.length).toBeGreaterThan(0);
    const commands = drawings.filter(({ text }) => /^\s*(npx|npm|camino|curl|docker|kubectl)\b/m.test(text));
    expect(commands.map(placeOf)).toEqual([]);
  });
});

describe("reading blocks", () => {
  test("finds them in lists too, without their indent", () => {
    const text = "1. One:\n\n   ```sh\n   a\n     b\n   ```\n\n```\nc\n```\n";
    expect(readBlocks("x.md", text)).toEqual([
      { document: "x.md", line: 3, language: "sh", text: "a\n  b\n" },
      { document: "x.md", line: 8, language: "", text: "c\n" },
    ]);
  });

  test("refuses a block without an end", () => {
    expect(() => readBlocks("x.md", "```sh\na\n")).toThrow("x.md:1");
  });
});
