import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import type { RebuiltUsage } from "../../../contract/books.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { type Ran, runCamino, runHere } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { BILLS, type Billed } from "../../support/vendor-bills.ts";
import { pages, type Receipt } from "../failures/support/scene.ts";

/** `camino audit` as an operator runs it, beside a gateway that answers calls; most of it in this process, to save starts. */

setDefaultTimeout(60_000);

const VENDOR_KEY = "sk-vendor-secret-0123456789";
/** A model of the bundled catalogue, at its list price. */
const MODEL = "anthropic/claude-haiku-4-5";
const CALLS = 4;

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});

afterAll(async () => {
  await simulator?.stop();
});

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let gateway: Gateway;
  let database: string;
  let key: TestKey;

  beforeAll(async () => {
    const vendor = { protocol: "messages", base_url: simulator.base_url, api_key: VENDOR_KEY };
    const config = { vendors: { anthropic: vendor }, models: { [MODEL]: { upstream_model: "cached" } } };
    const url = kind === "postgres" ? await freshDatabase() : undefined;
    gateway = await startGateway({ config: JSON.stringify(config), ...(url !== undefined && { database: url }) });
    database = url ?? `sqlite:${join(gateway.data, "camino.db")}`;
    key = await gateway.newKey({ budget: { amount: "5", window: "month" } });
    for (let call = 0; call < CALLS; call += 1) await callOnce(key);
  });

  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
  });

  async function callOnce({ key: secret }: TestKey): Promise<void> {
    const answer = await new Caller(gateway, secret).generate("messages", MODEL);
    expect(answer.status).toBe(200);
  }

  const by = (run: typeof runCamino, words: readonly string[]): Promise<Ran> =>
    run(["audit", "--database", database, ...words], {
      cwd: gateway.data,
      env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data },
    });
  const audit = (...words: string[]): Promise<Ran> => by(runHere, words);

  async function audited(...words: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await audit(...words, "--json");
    expect(stderr).toBe("");
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** Changes a row behind the gateway's back. */
  async function damage(statement: string): Promise<void> {
    await using sql = new SQL(database);
    await sql.unsafe(statement);
  }

  test("while calls run it finds nothing, and they go on", async () => {
    const other = await gateway.newKey();
    let calls = 0;
    const running = { over: false };
    const callers = Array.from({ length: 2 }, async () => {
      while (!running.over) {
        await callOnce(other);
        calls += 1;
      }
    });
    const ran = await by(runCamino, []);
    running.over = true;
    await Promise.all(callers);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /: the books are right \(2 accounts, \d+ entries, \d+ requests?, \d+ days? of usage\)\.\n(Not lost, .*\n)?$/,
    );
    expect(calls).toBeGreaterThan(0);
  });

  test("one account and a time narrow it, and --json tells the counts", async () => {
    const of_key = await audited("--account", key.account);
    expect(of_key).toMatchObject({ right: true, accounts: 1, entries: CALLS + 1, requests: CALLS, findings: [] });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect(await audited("--account", key.account, "--since", tomorrow)).toMatchObject({
      ...{ right: true, accounts: 1, requests: 0, days: 0 },
    });
  });

  test.each([
    [["--account", "nobody@example.com"], 'There is no account "nobody@example.com".'],
    [["--since", "yesterday"], "yesterday"],
    [["--vendor-bill", "none.csv"], "There is no file none.csv."],
    [["--rebuild", "balances"], "What can be rebuilt is 'usage'"],
  ])("%p is refused in a sentence", async (words, sentence) => {
    const { status, stdout, stderr } = await audit(...words);
    expect({ status, stdout }).toMatchObject({ status: expect.any(Number), stdout: "" });
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("    at ");
  });

  describe("a vendor's bill", () => {
    async function billed(): Promise<Billed> {
      const all = await pages<Receipt>(gateway, "/requests?");
      const sum = (of: (receipt: Receipt) => number): number => all.reduce((total, each) => total + of(each), 0);
      return {
        day: new Date(Date.now()).toISOString().slice(0, 10),
        model: "cached",
        input_tokens: sum(({ usage }) => usage?.input_tokens ?? 0),
        cache_read_tokens: sum(({ usage }) => usage?.cache_read_tokens ?? 0),
        cache_write_tokens: sum(({ usage }) => usage?.cache_write_tokens ?? 0),
        output_tokens: sum(({ usage }) => usage?.output_tokens ?? 0),
        cost: (sum(({ charge_micro }) => charge_micro) / 1e6).toFixed(6),
      };
    }

    async function written(text: string): Promise<string> {
      await Bun.write(join(gateway.data, "bill.csv"), text);
      return "bill.csv";
    }

    test.each(kind === "sqlite" ? Object.keys(BILLS) : ["our own"])(
      "%s: what agrees is told so with status 0, and a difference with status 1",
      async (format) => {
        const right = await billed();
        const write = BILLS[format] as (of: Billed) => string;
        const agrees = await audit("--vendor", "anthropic", "--vendor-bill", await written(write(right)));
        expect(agrees).toMatchObject({ status: 0, stderr: "" });
        expect(agrees.stdout).toContain("none more than 1 % off");
        const wrong = { ...right, output_tokens: right.output_tokens * 2, cost: String(Number(right.cost) + 7) };
        const differs = await audit("--vendor-bill", await written(write(wrong)));
        expect(differs.status).toBe(1);
        expect(differs.stdout).toMatch(/\n\d differences? above 1 %/);
        expect(differs.stdout).toContain(right.day);
      },
    );

    test("one that cannot be read is refused, with the row and what stands in it", async () => {
      const ran = await audit("--vendor-bill", await written("day,model,input_tokens\n2026-11-22,echo,many\n"));
      expect(ran).toMatchObject({ status: 1, stdout: "" });
      expect(ran.stderr).toBe('camino: bill.csv: row 2 has "many" where a whole number stands.\n');
    });
  });

  describe("a day that was counted wrongly", () => {
    const spoil = (): Promise<void> =>
      damage(`UPDATE usage_days SET cost_micro = cost_micro + 5 WHERE account_id = '${key.account}'`);

    test("is found with status 1, and nothing is changed by the finding", async () => {
      await spoil();
      for (const _ of [1, 2]) {
        const ran = await audit();
        expect(ran).toMatchObject({ status: 1, stderr: "" });
        expect(ran.stdout).toContain(key.account);
        expect(ran.stdout).toMatch(/: 2 problems \(2 accounts/);
      }
      const document = await audited("--account", key.account);
      expect(document).toMatchObject({ right: false, findings: [{ check: "key" }, { check: "usage" }] });
    });

    test("is counted anew by --rebuild usage, which says what it changed", async () => {
      const ran = await audit("--rebuild", "usage");
      expect(ran.status).toBe(0);
      expect(ran.stderr).toContain(key.id);
      expect(ran.stderr).toContain("camino: counted the usage of 2 accounts anew; 1 counter changed\n");
      expect(ran.stdout).toContain("the books are right");
      expect((await audit("--rebuild", "usage")).stderr).toContain("0 counters changed");
    });

    test("is counted anew over HTTP by an administrator only, which the audit log tells", async () => {
      await spoil();
      const member = await invite(gateway, { role: "member", account: key.account });
      expect((await member.browser.call("POST /books/rebuild-usage", {})).status).toBe(404);
      const administrator = await invite(gateway, { role: "administrator" });
      const wrong = await administrator.browser.call("POST /books/rebuild-usage", { after: "x", days: 3 });
      expect(wrong.status).toBe(400);
      expect((await administrator.browser.call("POST /books/rebuild-usage", { account: "nobody" })).status).toBe(404);
      const { status, body } = await administrator.browser.call<RebuiltUsage>("POST /books/rebuild-usage", {
        account: key.account,
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ accounts: 1, changed: [{ account: key.account, key: key.id }], next: null });
      const log = await gateway.admin<{ data: { action: string; object: unknown }[] }>("GET", "/audit-log");
      expect(log.data.find(({ action }) => action === "books.rebuild-usage")).toMatchObject({
        object: { kind: "books", id: key.account },
      });
      expect(await audited()).toMatchObject({ right: true });
    });

    test("is not counted anew where no gateway answers", async () => {
      const ran = await audit("--rebuild", "usage", "--url", "http://127.0.0.1:1", "--token", "none");
      expect(ran).toMatchObject({ status: 1, stdout: "" });
      expect(ran.stderr).toContain("http://127.0.0.1:1");
    });
  });

  if (kind === "postgres") {
    test("an audit that takes long says how far it is", async () => {
      await using sql = new SQL(database, { max: 1 });
      const locked = Promise.withResolvers<void>();
      const held = sql.begin(async (transaction) => {
        await transaction.unsafe("LOCK TABLE entries IN ACCESS EXCLUSIVE MODE");
        locked.resolve();
        await Bun.sleep(5000);
      });
      await locked.promise;
      const ran = await audit();
      await held;
      expect(ran.status).toBe(0);
      expect(ran.stderr).toMatch(/^(camino: audited \d+ accounts?, \d+ entries, \d+ requests?; 0 problems so far\n)+$/);
    });
  }
});
