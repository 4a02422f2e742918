import { describe, expect, test } from "bun:test";
import { addsToAdded } from "./measure-features.ts";
import { countPackages, isProduct, measureProject } from "./measure-project.ts";

describe("what the product comes to", () => {
  const FILES = [
    { path: "src/core/money/money.ts", text: "export const A = 1;\n" },
    { path: "src/core/money/money.test.ts", text: 'import { A } from "./money.ts";\n' },
    {
      path: "src/store/sql/read.ts",
      text: 'import { A } from "../../core/money/money.ts";\nimport { b } from "../rows.ts";\n',
    },
    { path: "src/store/rows.ts", text: 'import { read } from "./sql/read.ts";\n' },
    { path: "src/store/suite/laws.ts", text: 'import { A } from "../../core/money/money.ts";\n' },
    { path: "docs/api.md", text: "# The API\n" },
    { path: "docs/adr/0001-a.md", text: "# One\n" },
    { path: "src/core/README.md", text: "the floor" },
    { path: "CHANGELOG.md", text: "words" },
  ];

  test("are its lines by room, without tests and what helps them", () => {
    const { files, lines, rooms } = measureProject(FILES);
    expect([files, lines]).toEqual([3, 4]);
    expect([...rooms]).toEqual([
      ["core", { files: 1, lines: 1 }],
      ["store", { files: 2, lines: 3 }],
    ]);
  });

  test("are files that one other imports, and folders that import each other", () => {
    const { single_importers, folder_pairs } = measureProject(FILES);
    expect(single_importers).toBe(3);
    expect(folder_pairs).toEqual([["src/store", "src/store/sql"]]);
  });

  test("are the words of its documents by their kind", () => {
    expect(measureProject(FILES).words).toEqual({ documents: 4, decisions: 2, readmes: 2 });
  });

  test.each([
    ["src/core/money/money.ts", true],
    ["src/core/money/money.test.ts", false],
    ["src/store/books.suite.ts", false],
    ["src/store/suite/laws.ts", false],
    ["contract/keys.ts", false],
  ])("%s counts: %p", (path, counts) => {
    expect(isProduct(path)).toBe(counts);
  });

  test("are the packages of its lock file", () => {
    const packages = { "": {}, "node_modules/a": {}, "node_modules/b": { dev: true } };
    expect(countPackages(JSON.stringify({ packages }))).toEqual({ runtime: 1, development: 1 });
  });
});

test.each([
  [" ## [Unreleased]\n \n ### Added\n \n+- Tags.\n", true],
  [" ### Added\n \n - Tags.\n \n ### Changed\n \n+- Less.\n", false],
  [" ### Added\n \n-- Tags.\n", false],
])("%j adds a feature: %p", (differences, adds) => {
  expect(addsToAdded(differences)).toBe(adds);
});
