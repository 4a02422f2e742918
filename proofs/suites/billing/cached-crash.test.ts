import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { runHere } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** A gateway that is killed around the charge of an answer that is to be given again (docs/rulings.md 183): nothing is charged twice, and nothing stored that was not charged. */

setDefaultTimeout(120_000);

const VENDOR_KEY = "sk-vendor-0123456789";
const CREDIT_MICRO = 10_000_000;

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

function configuration(): string {
  const price = { input: "100.00", output: "400.00" };
  const model = (upstream_model: string) => ({
    ...{ price, upstream_model, max_completion_tokens: 1000, capabilities: { thinking: false } },
  });
  return JSON.stringify({
    catalog: "none",
    vendors: { acme: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY } },
    models: { "acme/echo": model("echo"), "acme/slow": model("long@tokens=10&ms=10") },
  });
}

let asked = 0;
function fresh(model = "acme/echo"): object {
  asked += 1;
  return { model, messages: [{ role: "user", content: `question ${asked}` }] };
}

async function send({ url }: Gateway, { key }: TestKey, body: object) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-camino-cache": "1h" },
    body: JSON.stringify(body),
  });
  const { usage } = (await response.json()) as { usage: { cost: number } };
  return { cache: response.headers.get("x-camino-cache"), cost_micro: Math.round(usage.cost * 1e6) };
}

/** The balance, once nothing is held. */
async function leftOf({ url }: Gateway, { key }: TestKey): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/v1/credits`, { headers: { authorization: `Bearer ${key}` } });
    const shown = (await response.json()) as { balance_micro: number; uncollected_micro: number };
    if (shown.uncollected_micro === 0) return shown.balance_micro;
    await Bun.sleep(200);
  }
}

describe.each(["sqlite", "postgres"])("on %s", (kind) => {
  let database: string | null;
  let gateway: Gateway;

  beforeAll(async () => {
    database = kind === "postgres" ? await freshDatabase() : null;
    gateway = await startGateway({ config: configuration(), ...(database !== null && { database }) });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const killAndStart = async () => {
    await gateway.stop("SIGKILL");
    gateway = await gateway.restart();
  };
  const newKey = () => gateway.newKey({ credit: String(CREDIT_MICRO / 1e6) });

  async function expectBooksRight(): Promise<void> {
    const { data } = gateway;
    const words = ["audit", ...(database === null ? [] : ["--database", database])];
    expect(await runHere(words, { cwd: data, env: { CAMINO_DATA: data } })).toMatchObject({ status: 0 });
  }

  /** The accounts with a stored answer, of which no request was charged. */
  async function storedUncharged(): Promise<number> {
    const sql = `SELECT count(*) AS found FROM cached_answers AS c WHERE NOT EXISTS
      (SELECT 1 FROM requests AS r WHERE r.account_id = c.account_id AND r.status = 'settled' AND r.charge_micro > 0)`;
    if (database === null) {
      using file = new Database(join(gateway.data, "camino.db"), { readonly: true });
      return file.query<{ found: number }, []>(sql).get()?.found ?? -1;
    }
    await using raw = new Bun.SQL(database, { max: 1 });
    const [row] = await raw.unsafe(sql);
    return Number(row.found);
  }

  test("between the charge and the store: charged once, asked anew, and stored then", async () => {
    for (;;) {
      const key = await newKey();
      const body = fresh();
      // Writes of answers wait for this lock, and reads do not.
      const lock = database === null ? null : await held(database, "cached_answers");
      const first = await send(gateway, key, body);
      expect(first.cache).toBe("miss");
      await gateway.stop("SIGKILL");
      await lock?.end();
      gateway = await gateway.restart();
      expect(await leftOf(gateway, key)).toBe(CREDIT_MICRO - first.cost_micro);
      const again = await send(gateway, key, body);
      // Without a lock the store may have been faster than the kill.
      if (database === null && again.cache === "hit") continue;
      expect(again).toEqual(first);
      expect((await send(gateway, key, body)).cache).toBe("hit");
      expect(await leftOf(gateway, key)).toBe(CREDIT_MICRO - 2 * first.cost_micro);
      break;
    }
    await expectBooksRight();
  });

  test("at any moment around the charge: each stored answer is one that was charged, and the books are right", async () => {
    for (let round = 0; round < 3; round += 1) {
      const keys = await Promise.all(Array.from({ length: 6 }, newKey));
      const bodies = keys.map(() => fresh("acme/slow"));
      const calls = keys.map((key, at) => send(gateway, key, bodies[at] ?? {}).catch(() => null));
      await Bun.sleep(60 + 70 * round);
      await killAndStart();
      const answered = await Promise.all(calls);
      for (const [at, key] of keys.entries()) {
        const answer = answered[at];
        const left = await leftOf(gateway, key);
        if (answer) expect(left).toBe(CREDIT_MICRO - answer.cost_micro);
        const { cache } = await send(gateway, key, bodies[at] ?? {});
        if (cache === "hit") expect(left).toBeLessThan(CREDIT_MICRO);
      }
      expect(await storedUncharged()).toBe(0);
    }
    await gateway.stop();
    await expectBooksRight();
    gateway = await gateway.restart();
  });

  test.if(kind === "postgres")("before the charge nothing is stored, however long it takes", async () => {
    const key = await newKey();
    const body = fresh();
    const lock = await held(database ?? "", "entries");
    const calls = simulator.log.total;
    const call = send(gateway, key, body).catch(() => null);
    while (simulator.log.total === calls) await Bun.sleep(10);
    await Bun.sleep(500);
    expect(await storedUncharged()).toBe(0);
    await gateway.stop("SIGKILL");
    await lock.end();
    expect(await call).toBeNull();
    gateway = await gateway.restart();
    expect((await send(gateway, key, body)).cache).toBe("miss");
    await leftOf(gateway, key);
    await expectBooksRight();
  });
});

/** A transaction that keeps others from writing a table until it is ended. */
async function held(database: string, table: string) {
  const raw = new Bun.SQL(database, { max: 1 });
  const own = await raw.reserve();
  await own.unsafe("BEGIN");
  await own.unsafe(`LOCK TABLE ${table} IN SHARE MODE`);
  return {
    async end() {
      await own.unsafe("ROLLBACK");
      own.release();
      await raw.close();
    },
  };
}
