import { expect, test } from "bun:test";
import { join } from "node:path";

/** Everything in a table can be had as a file: by a button of the page, or by a link to a file of the server. */

const SOURCES = join(import.meta.dir, "..");
const sources = new Map(
  await Promise.all(
    [...new Bun.Glob("**/*.tsx").scanSync(SOURCES)].map(
      async (path) => [path, await Bun.file(join(SOURCES, path)).text()] as const,
    ),
  ),
);

function withText(text: RegExp): [path: string, source: string][] {
  return [...sources].filter(([, source]) => text.test(source));
}

/** Tables of which the page makes no file, and where the file is: the whole list's, at the head of its page. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "pages/overview/latest-requests.tsx": "pages/requests/requests-page.tsx",
  "pages/keys/key-overview.tsx": "pages/requests/requests-page.tsx",
  "pages/admin-accounts/account-keys.tsx": "pages/keys/keys-page.tsx",
  "pages/admin-accounts/account-entries.tsx": "pages/credits/ledger.tsx",
  "pages/admin-accounts/account-table.tsx": "pages/admin-accounts/accounts-page.tsx",
};

test("a table without a file of its own has a link to the server's, or is the beginning of a list that has one", () => {
  const without = withText(/<DataTable\b[\s\S]*?file=\{null\}/);
  expect(without.length).toBeGreaterThan(5);
  const missing = without.flatMap(([path, source]) => {
    const linked = sources.get(ELSEWHERE[path] ?? "") ?? source;
    return linked.includes("<DownloadLink") ? [] : [path];
  });
  expect(missing).toEqual([]);
});

/** A difference that is not made yet: the versions that are made are a table with a file (element-history.tsx). */
const NO_RECORD = ["pages/admin-configuration/change-preview.tsx"];

test("a table that is written out by hand has a button for its file", () => {
  const by_hand = withText(/<table\b/).filter(([path]) => path !== "kit/data-table.tsx" && !NO_RECORD.includes(path));
  expect(by_hand.length).toBeGreaterThan(3);
  expect(by_hand.flatMap(([path, source]) => (source.includes("<SaveTable") ? [] : [path]))).toEqual([]);
});

test("the exceptions are tables still", () => {
  for (const path of Object.keys(ELSEWHERE)) expect(sources.get(path)).toContain("file={null}");
  for (const path of NO_RECORD) expect(sources.get(path)).toContain("<table");
});
