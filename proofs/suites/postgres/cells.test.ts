import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { SystemHealth } from "../../../contract/health.ts";
import { newId } from "../../../src/core/ids.ts";
import type { AuditReport } from "../../../src/core/ledger/books-audit.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { ownedDatabase } from "../../support/cells.ts";
import { type FaultyProxy, faultyProxy } from "../../support/faulty-proxy.ts";
import type { TestKey } from "../../support/gateway.ts";
import { eventually, type Scene, startScene } from "../failures/support/scene.ts";
import { STYLES, type Style } from "../failures/support/styles.ts";

/** A gateway whose accounts live in three databases, each with a role that has no rights on the others (docs/adr/0085). */

interface Cell {
  readonly url: string;
  readonly raw: SQL;
}

async function cellWithOwnRole(name: string): Promise<Cell> {
  const url = await ownedDatabase(name);
  return { url, raw: new SQL(url, { max: 1 }) };
}

const MODELS = { "acme/swift": { upstream_model: "echo" } };

describe("three cells", () => {
  let directory: Cell;
  let north: Cell;
  let south: Cell;
  let proxy: FaultyProxy;
  let scene: Scene;
  const keys: TestKey[] = [];

  beforeAll(async () => {
    [directory, north, south] = [
      await cellWithOwnRole("directory"),
      await cellWithOwnRole("north"),
      await cellWithOwnRole("south"),
    ];
    proxy = await faultyProxy(Number(new URL(south.url).port));
    const through = new URL(south.url);
    through.port = String(proxy.port);
    const env = { CAMINO_CELLS: `north=${north.url} south=${through.href}` };
    scene = await startScene({ models: MODELS, database: directory.url, env });
    for (let made = 0; made < 12; made += 1) keys.push(await scene.newKey({ credit: "1" }));
  }, 60_000);
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await Promise.all([directory, north, south].map(({ raw }) => raw.close()));
  });

  const homeOf = async ({ account }: TestKey): Promise<string> => {
    const [row] = await directory.raw.unsafe("SELECT cell FROM accounts WHERE id = $1", [account]);
    return row.cell ?? "directory";
  };
  const ask = (key: TestKey): Promise<Response> => scene.call(STYLES[0] as Style, key, "acme/swift");

  test("share the accounts, and each account's calls are charged in its own", async () => {
    const homes = await Promise.all(keys.map(homeOf));
    expect(new Set(homes)).toEqual(new Set(["directory", "north", "south"]));
    for (const key of keys) expect((await ask(key)).status).toBe(200);
    for (const [at, key] of keys.entries()) {
      for (const [name, { raw }] of Object.entries({ directory, north, south })) {
        const [{ count }] = await raw.unsafe("SELECT count(*)::int AS count FROM requests WHERE account_id = $1", [
          key.account,
        ]);
        expect(count).toBe(name === homes[at] ? 1 : 0);
      }
      expect((await scene.wallet(key)).balance_micro).toBeLessThan(1_000_000);
    }
  });

  test("are one to who reads lists and sums", async () => {
    const all = await scene.gateway.admin<{ data: { id: string }[] }>("GET", "/requests?limit=5");
    expect(all.data).toHaveLength(5);
    const accounts = await scene.gateway.admin<{ data: { id: string; balance_micro: number }[] }>(
      "GET",
      "/accounts?limit=100",
    );
    for (const { account } of keys) expect(accounts.data.filter(({ id }) => id === account)).toHaveLength(1);
    for (const { balance_micro } of accounts.data.filter(({ id }) => keys.some((key) => key.account === id)))
      expect(balance_micro).toBeGreaterThan(0);
  });

  test("one that is away refuses its own accounts alone, is named, and goes on when it is back", async () => {
    const homes = await Promise.all(keys.map(homeOf));
    const others: (string | null)[] = [];
    const unused = await Promise.all(keys.map(() => scene.newKey({ credit: "1" })));
    const unused_homes = await Promise.all(unused.map(homeOf));
    proxy.refuses = true;
    proxy.cut();
    for (const [at, key] of keys.entries()) {
      const answer = await ask(key);
      const { status, headers } = answer;
      await answer.text();
      if (homes[at] === "south") expect([status, headers.has("retry-after")]).toEqual([503, true]);
      else expect(status).toBe(200);
      others.push(...(status === 200 ? [headers.get("x-camino-request-id")] : []));
    }
    const [id] = others;
    expect(await scene.gateway.admin<{ id: string }>("GET", `/requests/${id}`)).toMatchObject({ id });
    // Keys that nobody has looked up yet lead to their cells by themselves.
    for (const name of ["north", "south"]) {
      const key = unused[unused_homes.indexOf(name)] as TestKey;
      expect(key.key).toMatch(/^cm-[0-9A-Za-z]{58}$/);
      expect((await ask(key)).status).toBe(name === "south" ? 503 : 200);
      expect((await ask({ ...key, key: key.key.replace(/^cm-..../, "cm-0000") })).status).toBe(401);
    }
    const ready = await fetch(`${scene.gateway.url}/readyz`);
    expect([ready.status, JSON.stringify(await ready.json())]).toEqual([
      200,
      expect.stringContaining("cell south is away"),
    ]);
    const health = await scene.gateway.admin<SystemHealth>("GET", "/health");
    expect(health.database.warnings.join()).toContain("cell south is away");
    proxy.refuses = false;
    const [of_south] = keys.filter((_, at) => homes[at] === "south");
    await eventually("an answer", async () => ((await ask(of_south as TestKey)).status === 200 ? true : null));
  }, 60_000);

  test("a cell in another's place, and one by itself, are refused at the start", async () => {
    const open = (url: string, cells: string[]) =>
      openStore({
        url,
        node_id: newId("node"),
        cells: { directory_weight: 1, cells: cells.map((cell) => ({ name: "north", url: cell, weight: 1 })) },
      });
    expect(String(await open(north.url, [south.url]).catch((thrown: unknown) => thrown))).toContain(
      "not the directory",
    );
    const alone = openStore({ url: north.url, node_id: newId("node") }).catch((thrown: unknown) => thrown);
    expect(String(await alone)).toContain("CAMINO_CELLS");
  }, 60_000);

  test("the audit finds each account in one cell alone, and says where that is not so", async () => {
    const cells = {
      directory_weight: 1,
      cells: [
        { name: "north", url: north.url, weight: 1 },
        { name: "south", url: south.url, weight: 1 },
      ],
    };
    const store = await openStore({ url: directory.url, node_id: newId("node"), cells });
    try {
      const sound: AuditReport = await store.audit();
      expect(sound.problems).toEqual([]);
      // The directory's rows of accounts that live elsewhere are no accounts more.
      const [all] = await directory.raw.unsafe("SELECT count(*)::int AS count FROM accounts");
      expect(sound.accounts).toBe(all.count);
      const [of_south] = (await directory.raw.unsafe("SELECT id FROM accounts WHERE cell = 'south' LIMIT 1")) as {
        id: string;
      }[];
      await directory.raw.unsafe("UPDATE accounts SET cell = 'north', created_ms = created_ms - 100000 WHERE id = $1", [
        of_south?.id,
      ]);
      expect((await store.audit()).findings).toMatchObject([
        { check: "place", place: { account_id: of_south?.id }, found: "no account in north" },
        { check: "place", place: { account_id: of_south?.id }, found: "south", expected: "north" },
      ]);
      await directory.raw.unsafe("UPDATE accounts SET cell = 'south' WHERE id = $1", [of_south?.id]);
    } finally {
      await store.close();
    }
  }, 60_000);
});
