import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { runHere } from "../../support/camino.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { BARE, type Installed, serveInstalled } from "../installation/support/first-call.ts";
import { CONFIGURATION } from "./support/life.ts";
import { Load } from "./support/load.ts";
import { type PackedVersion, packPresent, packVersion, previousVersion } from "./support/old-version.ts";

/**
 * An update from the last tagged version under load (docs/compatibility.md): both versions are packed and run as their users run them. Before the
 * first tag it is from the last commit; `UPGRADE_FROM=COMMIT` tries another one.
 */

const from = await previousVersion();
const MINUTES_MS = 600_000;
const TOKEN = "an-admin-token-of-the-update";
const LOAD_MS = 3_000;

describe.skipIf(from === null)(`an update from ${from?.name} under load`, () => {
  let old: PackedVersion;
  let present: PackedVersion;
  let simulator: Simulator;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "camino-rolling-"));
    await Bun.write(join(folder, "camino.yaml"), CONFIGURATION);
    simulator = await startSimulator();
    old = await packVersion(from?.commit ?? "");
    present = await packPresent();
  }, MINUTES_MS);

  afterAll(async () => {
    await simulator?.stop();
    await old?.[Symbol.asyncDispose]();
    await present?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    // The older version has all its packages beside it.
  }, MINUTES_MS);

  const start = (version: PackedVersion, name: string, database: string): Promise<Installed> => {
    const secrets = { CAMINO_SECRET: "a secret of both nodes and versions", CAMINO_ADMIN_TOKEN: TOKEN };
    const env = { ...BARE, ...secrets, SIMULATOR_URL: simulator.base_url };
    const words = ["--config", join(folder, "camino.yaml"), "--database", database];
    return serveInstalled([version.camino], join(folder, name), { env, words });
  };

  test(
    "of two nodes on PostgreSQL fails no call, there and back",
    async () => {
      const database = await freshDatabase();
      let [a, b] = [await start(old, "a", database), await start(old, "b", database)];
      try {
        const load = await Load.start({ token: TOKEN, nodes: [a.url, b.url] });
        const replace = async (node: Installed, version: PackedVersion, name: string): Promise<Installed> => {
          // As a balancer does it: nothing new is sent to a node that is to end.
          load.remove(node.url);
          expect(await node.stop()).toBe(0);
          const next = await start(version, name, database);
          load.add(next.url);
          await Bun.sleep(LOAD_MS);
          return next;
        };
        await Bun.sleep(LOAD_MS);
        a = await replace(a, present, "a");
        b = await replace(b, present, "b");
        b = await replace(b, old, "b");
        b = await replace(b, present, "b");
        await load.expectRight();
        await expectRightBooks(database, folder);
      } finally {
        await a.stop();
        await b.stop();
      }
    },
    MINUTES_MS,
  );

  test(
    "of one process on SQLite fails no call that it took",
    async () => {
      const database = `sqlite:${join(folder, "one.db")}`;
      let node = await start(old, "one", database);
      try {
        const load = await Load.start({ token: TOKEN, nodes: [node.url] });
        for (const version of [present, old, present]) {
          await Bun.sleep(LOAD_MS);
          load.remove(node.url);
          expect(await node.stop()).toBe(0);
          node = await start(version, "one", database);
          load.add(node.url);
        }
        await Bun.sleep(LOAD_MS);
        await load.expectRight();
      } finally {
        await node.stop();
      }
      await expectRightBooks(database, folder);
    },
    MINUTES_MS,
  );
});

async function expectRightBooks(database: string, cwd: string): Promise<void> {
  const { stdout } = await runHere(["audit", "--database", database, "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ right: true });
}
