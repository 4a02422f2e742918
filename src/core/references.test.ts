import { expect, test } from "bun:test";

/** Comments refer to sections of docs/api.md and to numbers of docs/rulings.md: every reference must lead somewhere. */

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string): Promise<string> => Bun.file(root + path).text();

const sections = new Set([...(await read("docs/api.md")).matchAll(/^#{2,3} ([\d.]+?)\.? /gm)].map((match) => match[1]));
const rulings = new Set([...(await read("docs/rulings.md")).matchAll(/^\*\*(\d+[a-z]?)\./gm)].map((match) => match[1]));

/** The numbers that follow a page's name: "docs/rulings.md 12, 14a" refers to two rulings. */
function pointers(text: string, page: string): string[] {
  const lists = text.matchAll(
    new RegExp(`${page.replace(".", "\\.")}(?: section)? (\\d[\\da-d.]*(?:(?:, | and )\\d[\\da-d.]*)*)`, "g"),
  );
  return [...lists].flatMap((match) => (match[1] ?? "").split(/, | and /).map((number) => number.replace(/\.$/, "")));
}

test("every ruling and every section exists once", async () => {
  for (let number = 1; number <= 50; number++) expect(rulings).toContain(String(number));
  for (const number of ["14a", "14b", "14c", "14d", "19a", "19b", "19c"]) expect(rulings).toContain(number);
  for (let number = 1; number <= 9; number++) expect(sections).toContain(String(number));
  const headings = (await read("docs/rulings.md")).match(/^\*\*\d+[a-z]?\./gm) ?? [];
  expect(headings).toHaveLength(rulings.size);
});

test("every pointer in the code leads to a section or a ruling", async () => {
  const lost: string[] = [];
  let found = 0;
  for await (const path of new Bun.Glob("{src,simulator,scripts,contract,proofs}/**/*.ts").scan(root)) {
    const text = (await read(path)).replace(/\n\s*(?:\*|\/\/)/g, "");
    for (const number of pointers(text, "docs/api.md"))
      sections.has(number) ? found++ : lost.push(`${path}: api.md ${number}`);
    for (const number of pointers(text, "docs/rulings.md"))
      rulings.has(number) ? found++ : lost.push(`${path}: rulings.md ${number}`);
  }
  expect(lost).toEqual([]);
  expect(found).toBeGreaterThan(10);
});

test("every ruling that docs/api.md names exists", async () => {
  const named = [...(await read("docs/api.md")).matchAll(/\[R ([^\]]+)\]/g)].flatMap((match) =>
    (match[1] ?? "").split(", "),
  );
  expect(named.filter((number) => !rulings.has(number))).toEqual([]);
});
