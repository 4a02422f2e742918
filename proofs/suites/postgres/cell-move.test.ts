import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { newId } from "../../../src/core/ids.ts";
import type { MovedAccount } from "../../../src/core/store/cells.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { runCamino, runHere } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { configurationFor, type Scene, startScene } from "../failures/support/scene.ts";
import { STYLES, type Style } from "../failures/support/styles.ts";

/** Accounts that move between cells while two gateways serve them and others (docs/adr/0085). */

const STYLE = STYLES[0] as Style;
const SHARED = {
  CAMINO_SECRET: "a-secret-that-both-nodes-have-0123456789abcdef",
  CAMINO_ADMIN_TOKEN: "token-0123456789abcdef0123456789abcdef",
};
/** Each account asks for a model of its own, so that the vendor's count is its count. */
const NAMES = ["mover", "other", "third"] as const;
const MODELS = {
  ...Object.fromEntries(NAMES.map((name) => [`acme/${name}`, { upstream_model: `echo@for=${name}` }])),
  "acme/slow": { upstream_model: "slow@ms=800", capabilities: { thinking: false } },
};

interface Database {
  readonly url: string;
  readonly raw: SQL;
}

async function databaseWithRole(name: string): Promise<Database> {
  const url = new URL(await freshDatabase());
  const database = url.pathname.slice(1);
  await using admin = new SQL(url.href, { max: 1 });
  await admin.unsafe(`CREATE ROLE ${name}_${database} LOGIN PASSWORD 'cell'`);
  await admin.unsafe(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
  await admin.unsafe(`GRANT ALL ON DATABASE ${database} TO ${name}_${database}`);
  await admin.unsafe(`GRANT ALL ON SCHEMA public TO ${name}_${database}`);
  url.username = `${name}_${database}`;
  url.password = "cell";
  return { url: url.href, raw: new SQL(url.href, { max: 1 }) };
}

/** What callers of one account saw. */
interface Seen {
  answered: number;
  refused: number;
  readonly other: string[];
  longest_gap_ms: number;
}

describe("accounts that move", () => {
  let databases: Readonly<Record<"directory" | "north" | "south", Database>>;
  let env: Record<string, string>;
  let scene: Scene;
  let second: Gateway;
  const keys: TestKey[] = [];

  beforeAll(async () => {
    databases = {
      directory: await databaseWithRole("directory"),
      north: await databaseWithRole("north"),
      south: await databaseWithRole("south"),
    };
    const { directory, north, south } = databases;
    env = { ...SHARED, CAMINO_CELLS: `north=${north.url} south=${south.url}`, CAMINO_DATABASE_URL: directory.url };
    scene = await startScene({ models: MODELS, database: directory.url, env });
    const config = configurationFor(scene.simulator.base_url, { models: MODELS });
    second = await startGateway({ config, env, database: directory.url });
    for (const _ of NAMES) keys.push(await scene.newKey({ credit: "100" }));
  }, 60_000);
  afterAll(async () => {
    await second[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
    await Promise.all(Object.values(databases).map(({ raw }) => raw.close()));
  });

  const homeOf = async ({ account }: TestKey): Promise<string> => {
    const [row] = await databases.directory.raw.unsafe("SELECT cell FROM accounts WHERE id = $1", [account]);
    return row.cell ?? "directory";
  };
  const move = async (key: TestKey, ...more: string[]): Promise<MovedAccount> => {
    const ran = await runHere(["cell", "move", key.account, "--json", ...more], { cwd: scene.gateway.data, env });
    expect(ran.stderr).toBe("");
    return JSON.parse(ran.stdout);
  };
  const ask = (gateway: Gateway, key: TestKey, model: string): Promise<Response> =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    });

  /** Calls one after the other until it is told to end. */
  async function callUntil(gateway: Gateway, at: number, ended: AbortSignal): Promise<Seen> {
    const seen: Seen = { answered: 0, refused: 0, other: [], longest_gap_ms: 0 };
    let last_ms = performance.now();
    while (!ended.aborted) {
      const answer = await ask(gateway, keys[at] as TestKey, `acme/${NAMES[at]}`);
      const text = await answer.text();
      if (answer.status === 200) {
        seen.answered += 1;
        seen.longest_gap_ms = Math.max(seen.longest_gap_ms, performance.now() - last_ms);
        last_ms = performance.now();
      } else if (answer.status === 503 && answer.headers.has("retry-after")) {
        seen.refused += 1;
        await Bun.sleep(5);
      } else seen.other.push(`${answer.status} ${text}`);
    }
    return seen;
  }

  test("go round all cells under calls of two gateways: each answer is charged once, and no other account is refused", async () => {
    const ended = new AbortController();
    const callers = NAMES.flatMap((_, at) =>
      [scene.gateway, second].flatMap((gateway) =>
        [callUntil(gateway, at, ended.signal), callUntil(gateway, at, ended.signal)].map((seen) => ({ at, seen })),
      ),
    );
    const [mover] = keys as [TestKey];
    const moves: MovedAccount[] = [];
    await Bun.sleep(500);
    const began = await homeOf(mover);
    try {
      for (const to of ["north", "south", "directory", "north", "directory"].filter(
        (name, at) => at > 0 || name !== began,
      )) {
        const moved = await move(mover, "--to", to);
        expect([moved.to, await homeOf(mover)]).toEqual([to, to]);
        moves.push(moved);
      }
    } finally {
      ended.abort();
      await Promise.allSettled(callers.map(({ seen }) => seen));
    }
    const seen = await Promise.all(callers.map(async ({ at, seen: calls }) => ({ at, ...(await calls) })));
    for (const { at, refused, other } of seen) {
      expect(other).toEqual([]);
      if (at > 0) expect(refused).toBe(0);
    }
    for (const [at, key] of keys.entries()) {
      const answered = seen.filter((each) => each.at === at).reduce((sum, each) => sum + each.answered, 0);
      expect(scene.simulator.log.count(`echo@for=${NAMES[at]}`)).toBe(answered);
      const { raw } = databases[(await homeOf(key)) as keyof typeof databases];
      const [booked] = await raw.unsafe(
        "SELECT count(*)::int AS requests, sum(charge_micro)::bigint AS charged FROM requests WHERE account_id = $1 AND status = 'settled'",
        [key.account],
      );
      expect(booked.requests).toBe(answered);
      expect((await scene.wallet(key)).balance_micro).toBe(100_000_000 - Number(booked.charged));
    }
    await expectRightBooks();
  }, 120_000);

  async function expectRightBooks(): Promise<void> {
    const cells = (["north", "south"] as const).map((name) => ({ name, url: databases[name].url, weight: 1 }));
    const store = await openStore({
      url: databases.directory.url,
      node_id: newId("node"),
      cells: { directory_weight: 1, cells },
    });
    try {
      expect((await store.audit()).problems).toEqual([]);
    } finally {
      await store.close();
    }
  }

  test("wait for a call that runs, which is charged where it began; or stay, where it takes longer than they may wait", async () => {
    const [mover] = keys as [TestKey];
    const from = await homeOf(mover);
    const to = from === "south" ? "north" : "south";
    const stream = await scene.stream(STYLE, mover, "acme/slow");
    expect(stream.status).toBe(200);
    const refused = await runHere(["cell", "move", mover.account, "--to", to, "--wait", "0"], {
      cwd: scene.gateway.data,
      env,
    });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("A call of ");
    expect((await ask(second, mover, "acme/mover")).status).toBe(200);
    const moving = move(mover, "--to", to);
    const [ended] = await Promise.all([stream.finish(), moving]);
    expect(ended).toBeDefined();
    expect(await homeOf(mover)).toBe(to);
    expect((await scene.ended(stream.request_id)).status).toBe("settled");
    await expectRightBooks();
  }, 60_000);

  test("leave a cell that is drained, to which no new account comes before it is added again", async () => {
    const camino = (...words: string[]) => runCamino(["cell", ...words], { cwd: scene.gateway.data, env });
    const drained = await camino("drain", "north", "--json");
    expect([drained.status, JSON.parse(drained.stdout).left]).toEqual([0, []]);
    for (let made = 0; made < 12; made += 1)
      expect(await homeOf(await scene.newKey({ credit: "1" }))).not.toBe("north");
    const listed = await camino("list", "--json");
    expect(JSON.parse(listed.stdout).cells).toMatchObject([
      { name: "directory", state: "ready" },
      { name: "north", state: "drained", accounts: 0, moving: [] },
      { name: "south", state: "ready" },
    ]);
    expect(listed.stdout).not.toContain(":cell@");
    for (const [at, key] of keys.entries()) expect((await ask(second, key, `acme/${NAMES[at]}`)).status).toBe(200);
    expect((await camino("add", "north")).status).toBe(0);
    const homes = new Set<string>();
    for (let made = 0; made < 20; made += 1) homes.add(await homeOf(await scene.newKey({ credit: "1" })));
    expect(homes).toContain("north");
    await expectRightBooks();
  }, 120_000);
});
