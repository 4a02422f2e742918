import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { caminoCommand } from "../../support/camino-command.ts";
import { freePort } from "../../support/free-port.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { eventually } from "../failures/support/scene.ts";

/** What a balancer and an operator see of a gateway whose database is being migrated by somebody else (docs/rulings.md 204). */

/** The lock that every migration takes. */
const MIGRATION_LOCK = 7_303_014;

interface Behind extends AsyncDisposable {
  /** Where calls are answered, and where readiness is. */
  readonly url: string;
  readonly apart: string;
  readonly exited: Promise<number>;
  log(): Promise<string>;
  signal(): void;
  /** Lets the migration begin. */
  release(): Promise<void>;
}

async function startBehindLock(workers: number): Promise<Behind> {
  const database = await freshDatabase();
  const data = await mkdtemp(join(tmpdir(), "camino-behind-"));
  const other = new SQL(database, { max: 1 });
  await other.unsafe(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
  const port = freePort();
  const [url, apart] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${freePort()}`];
  const child = Bun.spawn([caminoCommand(), "serve", "--port", String(port), "--data", data, "--database", database], {
    cwd: data,
    env: {
      PATH: process.env.PATH ?? "",
      CAMINO_WORKERS: String(workers),
      CAMINO_OPERATIONS_PORT: new URL(apart).port,
    },
    stdout: Bun.file(join(data, "log")),
    stderr: Bun.file(join(data, "words")),
  });
  return {
    ...{ url, apart, exited: child.exited },
    log: () => Bun.file(join(data, "log")).text(),
    signal: () => child.kill("SIGTERM"),
    release: () => other.close(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      await other.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

const ask = async (address: string): Promise<[number, Record<string, unknown>] | null> => {
  const answer = await fetch(address, { signal: AbortSignal.timeout(2000) }).catch(() => null);
  return answer && [answer.status, (await answer.json()) as Record<string, unknown>];
};

const waits = (gateway: Behind): Promise<true> =>
  eventually("the reason in the log", async () =>
    (await gateway.log()).includes("the migration waits for others") ? true : null,
  );

test.each([1, 2])(
  "a start in %d processes that waits to migrate is alive, not ready, says why, and serves when it may",
  async (workers) => {
    await using gateway = await startBehindLock(workers);
    const { url, apart } = gateway;
    await waits(gateway);
    expect(await eventually("a sign of life", () => ask(`${url}/healthz`))).toMatchObject([200, { status: "ok" }]);
    for (const address of [url, apart]) {
      expect(await ask(`${address}/readyz`)).toEqual([503, { status: "starting", reason: "migration" }]);
    }
    const refused = await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer cm-x" } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);

    await gateway.release();
    await eventually("a gateway that serves", async () => ((await ask(`${apart}/readyz`))?.[0] === 200 ? true : null));
    expect((await ask(`${url}/v1/models`))?.[0]).toBe(401);
  },
  60_000,
);

test.each([1, 2])(
  "a start in %d processes that waits to migrate ends at a signal",
  async (workers) => {
    await using gateway = await startBehindLock(workers);
    await waits(gateway);
    gateway.signal();
    await gateway.exited;
  },
  60_000,
);
