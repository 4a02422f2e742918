import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { SystemHealth } from "../../../contract/health.ts";
import { startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** Two nodes on one PostgreSQL, one of which has a wrong clock: the database's counts for both (docs/rulings.md 207). */

const SHARED = { CAMINO_SECRET: "a secret that both have, of no value", CAMINO_ADMIN_TOKEN: "admin-token-of-both" };
const HOUR_MS = 3_600_000;

describe.each([
  ["two hours ahead", 2 * HOUR_MS, "ahead of"],
  ["ten minutes behind", -HOUR_MS / 6, "behind"],
])("a node whose clock is %s", (_, off_ms, side) => {
  const program = join(import.meta.dir, "support/run-with-clock.ts");
  let database: string;
  let right: Gateway;
  let wrong: Gateway;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;

  beforeAll(async () => {
    simulator = await startSimulator();
    const from = new Date(Date.now() + HOUR_MS).toISOString().slice(0, 16);
    const config = `
vendors: { acme: { protocol: chat-completions, base_url: "${simulator.base_url}", api_key: k } }
models:
  acme/echo: { upstream_model: echo, price: [{ input: 1, output: 1 }, { from: "${from}:00Z", input: 50, output: 50 }] }
`;
    database = await freshDatabase();
    const options = { database, config };
    right = await startGateway({ ...options, env: SHARED });
    wrong = await startGateway({ ...options, env: { ...SHARED, CLOCK_OFF_MS: String(off_ms) }, program });
  }, 60_000);
  afterAll(async () => {
    await Promise.all([right?.[Symbol.asyncDispose](), wrong?.[Symbol.asyncDispose]()]);
    await simulator.stop();
  });

  const call = (gateway: Gateway, key: Pick<TestKey, "key">): Promise<Response> =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "acme/echo", messages: [{ role: "user", content: "Hi" }] }),
    });
  const codeOf = async (answer: Response): Promise<unknown> =>
    ((await answer.json()) as { error: { code: string } }).error.code;

  test("lets keys live as long as they do, and their old secrets, and charges the price in force", async () => {
    const lasting = await right.newKey({ expires_at: new Date(Date.now() + HOUR_MS).toISOString() });
    const rolled = await right.newKey();
    await right.admin("POST", `/keys/${rolled.id}/roll`, { overlap_s: 1800 });
    for (const key of [lasting, rolled]) {
      const costs = [];
      for (const gateway of [right, wrong]) {
        const answer = await call(gateway, key);
        expect(answer.status).toBe(200);
        costs.push(((await answer.json()) as { usage: { cost: number } }).usage.cost);
      }
      expect(costs[1]).toBe(costs[0] as number);
    }
  }, 60_000);

  test("ends keys when they end", async () => {
    const ends_ms = Date.now() + 3000;
    const short = await right.newKey({ expires_at: new Date(ends_ms).toISOString() });
    expect((await call(wrong, short)).status).toBe(200);
    await Bun.sleep(Math.max(0, ends_ms - Date.now()) + 100);
    for (const gateway of [right, wrong]) {
      const refused = await call(gateway, short);
      expect([refused.status, await codeOf(refused)]).toEqual([401, "api_key_inactive"]);
    }
  }, 60_000);

  test("says so: in its log, readiness, health, and by doctor", async () => {
    const told = `${side} the database's`;
    expect(wrong.log()).toContain(told);
    const ready = (await (await fetch(`${wrong.url}/readyz`)).json()) as { warnings: string[] };
    expect(ready.warnings.join()).toContain(told);
    const health = await wrong.admin<SystemHealth>("GET", "/health");
    expect(health.database.warnings.join()).toContain(told);
    const doctor = Bun.spawn(
      [join(import.meta.dir, "../../../bin/camino-bun"), program, "--database", database, "--data", wrong.data],
      {
        env: { PATH: process.env.PATH ?? "", ...SHARED, CLOCK_OFF_MS: String(off_ms), CLOCK_COMMAND: "doctor" },
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    expect(await doctor.stdout.text()).toContain(told);
    expect(right.log()).not.toContain("clock is");
    const sound = (await (await fetch(`${right.url}/readyz`)).json()) as { warnings?: string[] };
    expect((sound.warnings ?? []).join()).not.toContain("clock");
  }, 60_000);
});
