/**
 * `npm run fixture`: the databases of this version, as later versions will find them, in proofs/suites/upgrade/fixtures/VERSION. The gateway of these sources
 * makes them itself, over HTTP, on SQLite and on PostgreSQL. Those of a version that has a tag are never made again.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { run } from "../../../scripts/release/run.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { CONFIGURATION, live, startLiving } from "./support/life.ts";
import { statementsOf } from "./support/statements.ts";

const ROOT = join(import.meta.dir, "../../..");
const SECRET = "a secret of fixtures, which protects nothing";

async function makeFixture(): Promise<string> {
  const { version } = await Bun.file(join(ROOT, "package.json")).json();
  const tagged = await run(["git", "rev-parse", "--verify", "--quiet", `refs/tags/v${version}`], ROOT);
  if (tagged.status === 0) throw new Error(`v${version} is released: its databases stay as that version has made them`);
  const folder = join(import.meta.dir, "fixtures", version);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "camino.yaml"), CONFIGURATION);
  for (const kind of ["sqlite", "postgres"] as const) {
    const data = await mkdtemp(join(tmpdir(), "camino-fixture-"));
    try {
      const database = kind === "postgres" ? await freshDatabase() : undefined;
      await Bun.write(join(data, "secret"), `${SECRET}\n`);
      const living = await startLiving(CONFIGURATION, data, database);
      const told = await live(living.gateway, version);
      await living.gateway.stop();
      await living[Symbol.asyncDispose]();
      await Bun.write(join(folder, `${kind}.json`), `${JSON.stringify(told, null, 1)}\n`);
      if (database === undefined) await keepFile(data, folder);
      else await keep(folder, "postgres.sql.gz", new TextEncoder().encode(await statementsOf(database)));
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  }
  return folder;
}

/** SQLite's as its backup, which is one file. */
async function keepFile(data: string, folder: string): Promise<void> {
  const copy = join(data, "copy.db");
  const words = ["backup", copy, "--database", `sqlite:${join(data, "camino.db")}`];
  const { status, stderr } = await run([join(ROOT, "bin/camino"), ...words], data);
  if (status !== 0) throw new Error(`the backup failed: ${stderr}`);
  await keep(folder, "camino.db.gz", await Bun.file(copy).bytes());
}

async function keep(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await Bun.write(join(folder, name), gzipSync(bytes, { level: 9 }));
}

try {
  console.log(await makeFixture());
  process.exit(0);
} catch (thrown) {
  console.error(`camino: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  process.exit(1);
}
