import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { freshDatabase } from "../support/postgres.ts";
import { fill } from "./fill.ts";
import { type MakeOptions, readOptions } from "./options.ts";

const FEW = {
  requests: 250,
  accounts: 5,
  days: 3,
  seed: 7,
  at_once: 100,
  in_two_steps: false,
  with_tags: true,
} as const;

describe("a filled database", () => {
  for (const kind of ["sqlite", "postgres"] as const) {
    for (const in_two_steps of [false, true]) {
      const how = in_two_steps ? "admissions and ends apart" : "requests whole";
      test(`on ${kind}, ${how}, has books in which the audit finds nothing`, async () => {
        const folder = await mkdtemp(join(tmpdir(), "camino-fill-"));
        const database = kind === "sqlite" ? `sqlite:${join(folder, "camino.db")}` : await freshDatabase();
        const options: MakeOptions = { ...FEW, database, in_two_steps };
        await fill(options, () => {});
        await fill({ ...options, seed: 8 }, () => {});
        const store = await openStore({ url: database, node_id: "node_test" });
        expect(await store.audit()).toMatchObject({ accounts: 10, requests: 500, problems: [] });
        const { requests } = await store.accounts.listRequests({ account_id: null, limit: 200 });
        expect(requests).toHaveLength(200);
        expect(new Set(requests.map(({ status }) => status))).toEqual(new Set(["settled", "voided"]));
        expect(requests.every(({ price, attempts }) => price.version.length === 12 && attempts.length > 0)).toBe(true);
        const names = await store.accounts.listTagNames(null, 5);
        expect(names.map(({ name }) => name)).toEqual(["env", "feature", "team"]);
        expect(names[0]?.key_count).toBe(20);
        const tagged = requests.filter(({ tags }) => tags !== undefined);
        expect(tagged.length).toBeGreaterThan(10);
        expect(tagged.length).toBeLessThan(100);
        await store.close();
        await rm(folder, { recursive: true });
      }, 120_000);
    }
  }
});

test("the command says what is allowed", () => {
  expect(() => readOptions([])).toThrow('--database is ""; allowed: sqlite:PATH, postgres://….');
  expect(() => readOptions(["--database", "sqlite:a.db", "--requests", "many"])).toThrow(
    '--requests is "many"; allowed: a whole number from 0.',
  );
});
