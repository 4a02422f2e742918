import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { newId } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/core/store/ports.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { runCamino } from "../../support/camino.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** The commands that open databases by themselves, where there are cells (docs/adr/0085): they know all of them. */

let folder: string;
let directory: string;
let north: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-cells-"));
  [directory, north] = [await freshDatabase(), await freshDatabase()];
  await writeFile(join(folder, "camino.yaml"), 'vendors: { sim: {} }\ncells: { north: { url: "${NORTH_URL}" } }\n');
  await onStore((store) => store.secretFingerprint(1));
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

async function onStore<Result>(ask: (store: Store) => Promise<Result>): Promise<Result> {
  const node_id = newId("node");
  const cells = { directory_weight: 1, cells: [{ name: "north", url: north, weight: 1 }] };
  const store = await openStore({ url: directory, node_id, cells });
  try {
    return await ask(store);
  } finally {
    await store.ledger.leave(node_id);
    await store.close();
  }
}

function camino(...args: string[]) {
  const env = { CAMINO_DATABASE_URL: directory, NORTH_URL: north, CAMINO_SECRET: "a secret for tests of cells" };
  return runCamino(args, { cwd: folder, env });
}

test("incidents of every cell are listed, and closed where they are", async () => {
  for (const url of [directory, north]) {
    await using raw = new SQL(url, { max: 1 });
    await raw.unsafe("INSERT INTO incidents (at_ms, kind, detail) VALUES (1, 'wrong_row', 'acme/swift')");
  }
  const ids = async () =>
    (JSON.parse((await camino("incident", "list", "--json")).stdout) as { incidents: { id: number }[] }).incidents.map(
      ({ id }) => id,
    );
  expect(await ids()).toEqual([1, 1_000_001]);
  expect(await camino("incident", "close", "1000001", "--note", "seen")).toMatchObject({ status: 0 });
  expect(await ids()).toEqual([1]);
}, 60_000);

test("another secret is accepted for every cell", async () => {
  const refused = await onStore((store) => store.secretFingerprint(2));
  expect(refused).toBe(1);
  expect(await camino("accept-secret")).toMatchObject({ status: 0 });
  const known = await Promise.all(
    [directory, north].map(async (url) => {
      await using raw = new SQL(url, { max: 1 });
      return await raw.unsafe("SELECT value FROM marks WHERE name = 'secret_fingerprint'");
    }),
  );
  expect(known[0]).toEqual(known[1]);
  expect(known[0]).not.toEqual([{ value: "1" }]);
}, 60_000);

test("check and doctor say over which cells accounts are spread, and the embedded database moves to no cell", async () => {
  expect((await camino("check")).stdout).toContain("2 cells: directory (weight 1), north (weight 1)");
  expect((await camino("doctor")).stdout).toContain("2 cells: directory (weight 1), north (weight 1)");
  const moved = await camino("migrate-store", "--from", `sqlite:${join(folder, "camino.db")}`, "--to", north);
  expect(moved.stderr).toContain("give north the database of the directory");
}, 60_000);
