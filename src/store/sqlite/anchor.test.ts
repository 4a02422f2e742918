import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { createAccount } from "../accounts/accounts.ts";
import { addEntry } from "../accounts/entries.ts";
import { openStore } from "../open-store.ts";
import { rejectionOf } from "../suite/books.ts";
import { killWhileWriting } from "../suite/killed-writer.ts";
import { readAnchor } from "./anchor.ts";
import { SqliteBooks } from "./sqlite-books.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-anchor-"));
afterAll(() => rmSync(folder, { recursive: true }));

let path = "";
const open = () => openStore({ url: `sqlite:${path}`, node_id: newId("node") });

test("a database whose process was killed is opened: its anchor is never ahead of it", async () => {
  for (const acknowledged of [1, 30, 200]) {
    path = join(folder, `${newId("node")}.db`);
    await killWhileWriting(`sqlite:${path}`, acknowledged);
    const store = await open();
    expect((await store.audit()).problems).toEqual([]);
    await store.close();
    expect(statSync(`${path}.anchor`).mode & 0o777).toBe(0o600);
  }
}, 30_000);

describe("a database that a dead process left with commits in its log", () => {
  let books: SqliteBooks;
  const credit = (id: string): void => {
    books.run(createAccount({ id, email: `${id}@example.com`, name: "" }));
    books.run(addEntry({ account_id: id, kind: "credit", amount_micro: micro(5), note: "", actor: "test" }));
  };

  beforeEach(() => {
    const left = join(folder, `${newId("node")}.db`);
    books = SqliteBooks.openWriter(left);
    credit("acct_merged");
    books.checkpoint();
    // More than the log had before it was merged: it is written from its beginning again.
    for (let each = 0; each < 60; each += 1) credit(`acct_${each}`);
    path = `${left}-copied`;
    for (const part of ["", "-wal", ".anchor"]) copyFileSync(left + part, path + part);
    books.close();
  });

  const wal = () => `${path}-wal`;
  /** A byte in the middle of the log. */
  const flip = () => {
    const bytes = readFileSync(wal());
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(wal(), bytes);
  };

  test("is opened when nothing happened to its log", async () => {
    const store = await open();
    expect(await store.audit()).toMatchObject({ accounts: 61, problems: [] });
    await store.close();
  });

  const cases: readonly { what: string; damage: () => void }[] = [
    { what: "was deleted", damage: () => rmSync(wal()) },
    { what: "has one flipped byte", damage: flip },
    { what: "lacks its last 1,000 bytes", damage: () => truncateSync(wal(), statSync(wal()).size - 1000) },
    { what: "is cut in half", damage: () => truncateSync(wal(), Math.floor(statSync(wal()).size / 2)) },
  ];
  for (const { what, damage } of cases) {
    test(`is not opened when its log ${what}, and says what to do`, async () => {
      damage();
      const before = readAnchor(path);
      const message = String(await rejectionOf(open()));
      expect(message).toMatch(
        /Its last (commit is|\d+ commits are) missing: it ends at number \d+ .* was acknowledged/,
      );
      expect(message).toContain("`camino accept-loss`");
      // It stays so, whoever tries again.
      expect(String(await rejectionOf(open()))).toBe(message);
      expect(readAnchor(path)).toEqual(before);
    });
  }

  test("is opened without what is missing when that is accepted, once, and the audit says what is missing", async () => {
    truncateSync(wal(), Math.floor(statSync(wal()).size / 2));
    SqliteBooks.openWriter(path, { accept_loss: true }).close();
    const store = await open();
    expect((await store.audit()).problems).toEqual([
      expect.stringMatching(/incident 1: log_lost of .* is open .*missing/),
    ]);
    await store.close();
    await (await open()).close();
  });
});

describe("a database that was stopped", () => {
  beforeEach(async () => {
    path = join(folder, `${newId("node")}.db`);
    await (await open()).close();
  });

  test("is opened again", async () => {
    await (await open()).close();
  });

  test("is not opened when it is an older copy", async () => {
    copyFileSync(path, `${path}-older`);
    const store = await open();
    await store.accounts.createAccount({ id: newId("acct"), email: "a@example.com", name: "" });
    await store.close();
    copyFileSync(`${path}-older`, path);
    expect(String(await rejectionOf(open()))).toContain("or the file is an older copy");
  });

  test("is not opened beside the anchor of another", async () => {
    const mine = path;
    path = join(folder, `${newId("node")}.db`);
    await (await open()).close();
    copyFileSync(`${mine}.anchor`, `${path}.anchor`);
    expect(String(await rejectionOf(open()))).toContain("belongs to another database");
  });

  test("is not opened empty beside the anchor of one that has commits", async () => {
    const store = await open();
    await store.accounts.createAccount({ id: newId("acct"), email: "b@example.com", name: "" });
    await store.close();
    rmSync(path);
    expect(String(await rejectionOf(open()))).toContain("and this one has none");
  });

  test.each(["missing", "not readable"])("is opened when its anchor is %s, and the audit says so", async (how) => {
    const store = await open();
    await store.accounts.createAccount({ id: newId("acct"), email: "c@example.com", name: "" });
    await store.close();
    if (how === "missing") rmSync(`${path}.anchor`);
    else writeFileSync(`${path}.anchor`, "camino-anchor-1 x 5 00 0 00\n");
    const again = await open();
    expect((await again.audit()).problems).toEqual([expect.stringContaining("nothing proves that the database has")]);
    await again.close();
    expect(existsSync(`${path}.anchor`)).toBe(true);
  });
});

test("commits are in the file itself seconds after their acknowledgement", async () => {
  path = join(folder, "merged.db");
  const store = await open();
  await store.accounts.createAccount({ id: "acct_merged", email: "d@example.com", name: "" });
  for (let waited_ms = 0; ; waited_ms += 100) {
    copyFileSync(path, `${path}-copy`);
    using copy = new Database(`${path}-copy`, { readonly: true });
    if (hasAccount(copy)) break;
    expect(waited_ms).toBeLessThan(8000);
    await Bun.sleep(100);
  }
  await store.close();
}, 10_000);

function hasAccount(copy: Database): boolean {
  try {
    return copy.query("SELECT 1 FROM accounts WHERE id = 'acct_merged'").get() !== null;
  } catch {
    // The tables are in the log alone, too.
    return false;
  }
}
