import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { runHere } from "../../support/camino.ts";
import type { Gateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { callAll, startLiving, type Told, tell } from "./support/life.ts";
import { makeAgain } from "./support/statements.ts";

/**
 * This build on the databases of every released version (docs/compatibility.md): nothing is lost, nothing is counted otherwise, and old keys are billed.
 * `npm run fixture` makes those of the version that is next.
 */

const FIXTURES = join(import.meta.dir, "fixtures");
const VERSIONS = (await readdir(FIXTURES)).sort();
const CASES = VERSIONS.flatMap((version) => (["sqlite", "postgres"] as const).map((kind) => [version, kind] as const));

/** A folder and a database as the version has left them. */
async function asLeft(version: string, kind: "sqlite" | "postgres") {
  const folder = join(FIXTURES, version);
  const data = await mkdtemp(join(tmpdir(), "camino-upgrade-"));
  await Bun.write(join(data, "secret"), "a secret of fixtures, which protects nothing\n");
  const unpacked = (name: string) => Bun.file(join(folder, name)).bytes().then(gunzipSync);
  let database: string | undefined;
  if (kind === "postgres") {
    database = await freshDatabase();
    await makeAgain(database, (await unpacked("postgres.sql.gz")).toString());
  } else {
    await Bun.write(join(data, "backup.db"), await unpacked("camino.db.gz"));
    expect(await runHere(["restore", "backup.db", "--data", data], { cwd: data })).toMatchObject({ status: 0 });
  }
  const told = (await Bun.file(join(folder, `${kind}.json`)).json()) as Told;
  const config = await Bun.file(join(folder, "camino.yaml")).text();
  const url = database ?? `sqlite:${join(data, "camino.db")}`;
  return { data, told, url, start: () => startLiving(config, data, database) };
}

/** The gateway tells of the past what the old version has told. New fields in receipts are allowed; their old ones do not change. */
async function expectToTell(gateway: Gateway, { accounts, entries, receipts }: Told): Promise<void> {
  const requests = receipts.map(({ key, receipt }) => ({ key, id: String(receipt.id) }));
  const now = await tell(gateway, { requests });
  expect(now.accounts).toEqual([...accounts]);
  expect(now.entries).toEqual(entries as never);
  expect(now.receipts).toMatchObject(receipts as never);
}

async function expectRightBooks(url: string, data: string): Promise<void> {
  const { stdout, stderr } = await runHere(["audit", "--database", url, "--json"], { cwd: data });
  expect(stderr).not.toContain("error");
  expect(JSON.parse(stdout)).toMatchObject({ right: true });
}

const balanceOf = (told: Pick<Told, "accounts">): number =>
  told.accounts.reduce((sum, { balance_micro }) => sum + balance_micro, 0);

describe.each(CASES)("on a database of %s on %s", (version, kind) => {
  test("this build tells what that version has told, and bills its keys", async () => {
    const { data, told, url, start } = await asLeft(version, kind);
    try {
      await using living = await start();
      const { gateway } = living;
      expect(told.accounts.length).toBeGreaterThan(2);
      await expectToTell(gateway, told);
      await expectRightBooks(url, data);
      const ids: { key: string; id: string }[] = [];
      for (const { key, works } of told.keys) {
        if (works) for (const id of await callAll(gateway, key)) ids.push({ key, id });
        else await expect(callAll(gateway, key)).rejects.toThrow("401");
      }
      const now = await tell(gateway, { requests: ids });
      const charged = now.receipts.reduce((sum, { receipt }) => sum + Number(receipt.charge_micro), 0);
      expect(charged).toBeGreaterThan(0);
      expect(balanceOf(now)).toBe(balanceOf(told) - charged);
      const { credential } = await gateway.admin<{ credential: object }>("GET", "/vendors/wordy");
      expect(credential).toMatchObject({ source: "console", stored: { problem: null } });
      expect(gateway.log()).not.toContain('"level":"error"');
      expect(await gateway.stop()).toBe(0);
      await expectRightBooks(url, data);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

test.each(VERSIONS)("a backup that was made before the update from %s is the way back", async (version) => {
  const { data, told, start } = await asLeft(version, "sqlite");
  try {
    {
      await using updated = await start();
      for (const { key, works } of told.keys) if (works) await callAll(updated.gateway, key);
      await updated.gateway.stop();
    }
    const back = await runHere(["restore", "backup.db", "--replace", "--data", data], { cwd: data });
    expect(back).toMatchObject({ status: 0 });
    await using again = await start();
    await expectToTell(again.gateway, told);
    const kept = (await readdir(data)).filter((name) => name.startsWith("camino.db.replaced-"));
    expect(kept.length).toBeGreaterThan(0);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});

test("the databases of this version are kept", async () => {
  const { version } = await Bun.file(join(import.meta.dir, "../../../package.json")).json();
  expect(VERSIONS).toContain(version);
});
