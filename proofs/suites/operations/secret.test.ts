import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { type Ran, runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** A database goes with the secret that its keys were made with: another one stops the start, and not every call (docs/rulings.md 203). */

const FIRST = "the first secret of this test, of no value";
const SECOND = "the second secret of this test, of no value";

describe.each(["embedded", "PostgreSQL"])("a %s database", (kind) => {
  let data: string;
  let database: string | undefined;
  const env = (secret: string) => ({ CAMINO_SECRET: secret, CAMINO_ADMIN_TOKEN: "an-admin-token-of-this-test" });
  const start = (secret: string): Promise<Gateway> =>
    startGateway({ data, env: env(secret), ...(database !== undefined && { database }) });
  const refusal = (secret: string): Promise<string> =>
    start(secret).then(
      async (gateway) => `it started, with ${await gateway.stop()}`,
      (thrown: unknown) => String(thrown),
    );
  const camino = (secret: string, ...words: string[]): Promise<Ran> => {
    const at = database === undefined ? {} : { CAMINO_DATABASE_URL: database };
    return runCamino(words, {
      cwd: data,
      env: { ...env(secret), ...at, CAMINO_DATA: data, CAMINO_URL: "http://127.0.0.1:1" },
    });
  };
  const statusOf = async (gateway: Gateway, key: string): Promise<number> =>
    (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "camino-secret-"));
    if (kind === "PostgreSQL") database = await freshDatabase();
  });
  afterAll(() => rm(data, { recursive: true, force: true }));

  test("is not started on with another secret, until that is accepted", async () => {
    let gateway = await start(FIRST);
    const { key } = await gateway.newKey();
    await gateway.stop();

    const refused = await refusal(SECOND);
    expect(refused).toContain("were made with another secret than the one in the variable CAMINO_SECRET");
    expect(refused).toContain("camino accept-secret");
    expect(await camino(SECOND, "doctor")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("made with another secret"),
    });
    expect((await camino(FIRST, "doctor")).stdout).toContain("are right");

    gateway = await start(FIRST);
    expect(await statusOf(gateway, key)).toBe(200);
    const early = await camino(SECOND, "accept-secret");
    expect(early).toMatchObject({ status: 1, stdout: "" });
    await gateway.stop();

    expect(await camino(SECOND, "accept-secret")).toMatchObject({ status: 0 });
    expect(await refusal(FIRST)).toContain("another secret");
    gateway = await start(SECOND);
    expect(await statusOf(gateway, key)).toBe(401);
    await gateway.stop();
  }, 120_000);

  test("that knows none takes the one that it is started with", async () => {
    await run("DELETE FROM marks WHERE name = 'secret_fingerprint'");
    await (await start(FIRST)).stop();
    expect(await refusal(SECOND)).toContain("another secret");
  }, 60_000);

  async function run(text: string): Promise<void> {
    if (database !== undefined) {
      await using raw = new SQL(database, { max: 1 });
      await raw.unsafe(text);
      return;
    }
    const { Database } = await import("bun:sqlite");
    using file = new Database(join(data, "camino.db"), { readwrite: true, create: false });
    file.run(text);
  }
});

test("two nodes that start at once with two secrets: one serves, and one is refused", async () => {
  const database = await freshDatabase();
  const starts = [FIRST, SECOND].map((CAMINO_SECRET) =>
    startGateway({ database, env: { CAMINO_SECRET } }).then(
      async (gateway) => {
        await gateway.stop();
        return "started";
      },
      (thrown: unknown) => String(thrown),
    ),
  );
  const told = (await Promise.all(starts)).toSorted();
  expect(told).toEqual([expect.stringContaining("another secret"), "started"]);
}, 60_000);

test("a lost secret file stops the start, also in several processes, and a backup without it", async () => {
  await using gateway = await startGateway();
  const { data } = gateway;
  await gateway.stop();
  const camino = (...words: string[]): Promise<Ran> => runCamino(words, { cwd: data, env: { CAMINO_DATA: data } });
  expect(await camino("backup", "copy.db")).toMatchObject({ status: 0 });
  await rm(join(data, "secret"));
  expect((await camino("doctor")).stdout).toContain(`There is no secret in ${join(data, "secret")}`);
  const workers = startGateway({ data, env: { CAMINO_WORKERS: "2" } });
  expect(await workers.then(() => "it started", String)).toContain(`than the one in ${join(data, "secret")}`);

  const other = join(data, "other");
  expect(await camino("restore", "copy.db", "--data", other)).toMatchObject({ status: 0 });
  expect(await startGateway({ data: other }).then(() => "it started", String)).toContain("another secret");
}, 120_000);
