import { expect, test } from "bun:test";
import { checkReferences } from "./reference-rules.ts";

/** A pointer that leads nowhere is a violation, and so is a ruling at which nothing points. */

const SOUND = {
  "docs/rulings.md": "**1. First.** See `src/a.ts` and [api](api.md).\n\n**2a. Second.** As in ruling 1.\n",
  "docs/api.md": "## 4. Requests [R 1, 2a]\n\n### 4.1 Chat\n",
  "docs/adr/0004-hold.md": "# 0004: Hold\n",
  "src/a.ts": "/** Shows it (docs/api.md 4.1, docs/rulings.md 1,\n * 2a; docs/adr/0004). */\n",
};

function messages(changed: Readonly<Record<string, string>>): string[] {
  const files = Object.entries({ ...SOUND, ...changed }).map(([path, text]) => ({ path, text }));
  return checkReferences(files).map(({ path, message }) => `${path}: ${message}`);
}

test("sound references are none", () => expect(messages({})).toEqual([]));

test("a project without rulings is not looked at", () => {
  expect(checkReferences([{ path: "src/a.ts", text: "// docs/rulings.md 9" }])).toEqual([]);
});

test.each([
  ["a ruling that is not there", "src/b.ts", "// docs/rulings.md 3", "points at docs/rulings.md 3,"],
  ["a section that is not there", "src/b.ts", "// docs/api.md 4.9", "points at docs/api.md 4.9,"],
  ["a record that is not there", "src/b.ts", "// docs/adr/0005-gone.md", "points at docs/adr/0005,"],
  ["a page that is not there", "src/b.ts", "// docs/design/gone.md", "points at docs/design/gone.md,"],
  ["a file that is not there", "src/b.ts", "// Told in gone/away.ts.", "points at gone/away.ts,"],
  ["a ruling that api.md names", "docs/api.md", "## 4. Requests [R 7]\n\n### 4.1 Chat\n", "names 7,"],
  ["a record that a page names", "docs/b.md", "See ADR 0009.", "names docs/adr/0009,"],
  ["a ruling that a page names", "docs/b.md", "See ruling 9.", "names 9,"],
  ["a path that a page names", "docs/b.md", "See `src/gone/away.ts`.", "names src/gone/away.ts,"],
  ["a folder that a room's page names", "src/README.md", "See `scripts/gone`.", "names scripts/gone,"],
  ["a link of a page", "docs/b.md", "See [that](gone.md#there).", "names gone.md,"],
])("%s is found", (_, path, text, message) => {
  expect(messages({ [path]: text })).toContainEqual(expect.stringContaining(`${path}: ${message}`));
});

test("a ruling at which no code points is found, and one that is there twice", () => {
  expect(messages({ "src/a.ts": "// docs/rulings.md 1\n" })).toEqual([
    expect.stringContaining("has ruling 2a, at which no code points"),
  ]);
  const twice = `${SOUND["docs/rulings.md"]}\n**1. Again.**\n`;
  expect(messages({ "docs/rulings.md": twice })).toEqual(["docs/rulings.md: has ruling 1 twice."]);
});

test("what builds leave, pictures and other people's addresses are not looked for", () => {
  const text = "`console/dist` ![p](a.png) [x](https://example.com/a.md) `camino.yaml` `gone/name`";
  expect(messages({ "docs/b.md": text })).toEqual([]);
});
