import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import type { SystemHealth } from "../../../contract/health.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { pastTheLaws } from "../../../src/store/suite/audit.suite.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser } from "../../support/browser.ts";
import { Caller } from "../../support/calls.ts";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { signIn } from "../../support/sign-in.ts";
import { configurationFor, eventually } from "../failures/support/scene.ts";

/** The daily audit and the deletion of old requests in a gateway as it runs (docs/design/audit.md). */

setDefaultTimeout(120_000);

const DAY_MS = 86_400_000;
const OLD = 250;
const EAGER = join(import.meta.dir, "support/eager-gateway.ts");

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(async () => {
  await simulator?.stop();
});

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let gateway: Gateway;
  let database: string;
  let key: TestKey;
  let old_id: string;
  let new_id: string;

  /** A gateway that has more old requests than one step deletes, and whose audit is due. */
  beforeAll(async () => {
    const config = JSON.stringify({
      ...JSON.parse(configurationFor(simulator.base_url, { models: { "acme/echo": {} } })),
      retention: { requests: "2d" },
    });
    const url = kind === "postgres" ? await freshDatabase() : undefined;
    const options = { config, ...(url !== undefined && { database: url }) };
    const first = await startGateway(options);
    database = url ?? `sqlite:${join(first.data, "camino.db")}`;
    key = await first.newKey();
    const caller = new Caller(first, key.key);
    const call = async (): Promise<string> => {
      const answer = await caller.generate("chat", "acme/echo");
      expect(answer.status).toBe(200);
      return answer.headers.get("x-camino-request-id") ?? "";
    };
    old_id = await call();
    for (let made = 1; made < OLD; made += 10) await Promise.all(Array.from({ length: 10 }, call));
    await first.stop();
    await age();
    // Now its upkeep is due, and it does not wait for half a minute with it.
    gateway = await startGateway({ ...options, data: first.data, program: EAGER });
    const again = new Caller(gateway, key.key);
    new_id = (await again.generate("chat", "acme/echo")).headers.get("x-camino-request-id") ?? "";
  });

  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
  });

  /** Lets four days pass for what is in the database. */
  async function age(): Promise<void> {
    await using sql = new SQL(database, { max: 1 });
    const execute = async (statement: string): Promise<unknown[]> => await sql.unsafe(statement);
    const by = 4 * DAY_MS;
    const done_ms = Date.now() - by;
    await pastTheLaws({ store: { kind }, execute }, [
      `UPDATE requests SET created_ms = created_ms - ${by}, ended_ms = ended_ms - ${by}`,
      `UPDATE entries SET created_ms = created_ms - ${by}`,
      "UPDATE usage_days SET day = day - 4",
      ...["audit", "retention"].map(
        (name) =>
          // A gateway that lived a while has opened them already.
          `INSERT INTO chores (name, node_id, started_ms, beat_ms, ended_ms) VALUES ('${name}', 'node_old', ${done_ms}, ${done_ms}, ${done_ms})
            ON CONFLICT (name) DO UPDATE SET started_ms = ${done_ms}, beat_ms = ${done_ms}, ended_ms = ${done_ms}`,
      ),
    ]);
  }

  test("old requests are deleted beside calls; their charges and reports stay, and the books are right", async () => {
    await eventually("the deletion", async () => ((await statusOf(old_id)) === 404 ? true : null), 60_000, 500);
    await eventually("its log line", async () =>
      gateway.log().includes("deleted old requests and kept answers") ? true : null,
    );
    const list = await gateway.admin<{ data: { id: string }[] }>("GET", `/requests?account=${key.account}&limit=100`);
    expect(list.data.map(({ id }) => id)).toEqual([new_id]);
    expect(await statusOf(new_id)).toBe(200);
    const usage = await new Caller(gateway, key.key).get("/v1/usage");
    expect(usage.status).toBe(200);
    const ran = await runCamino(["audit", "--database", database], { cwd: gateway.data });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toContain("may be deleted (retention.requests): only their entries were added up.");
  });

  async function statusOf(id: string): Promise<number> {
    return (await new Caller(gateway, key.key).get(`/v1/requests/${id}`)).status;
  }

  test("the receipt of a deleted request is a 404 that says so, to its account alone", async () => {
    const sentence = `The receipt of "${old_id}" is gone: it ended on `;
    const own = await new Caller(gateway, key.key).get(`/v1/requests/${old_id}`);
    expect(own).toMatchObject({ status: 404, error: { code: "not_found" } });
    expect(own.error.message).toStartWith(sentence);
    expect(own.error.message).toEndWith("Its charge stays in the ledger.");
    const other = await gateway.newKey();
    const foreign = await new Caller(gateway, other.key).get(`/v1/requests/${old_id}`);
    expect(foreign.status).toBe(404);
    expect(foreign.error.message).toBe(`There is no request "${old_id}" on this account.`);
    await expect(gateway.admin("GET", `/requests/${old_id}`)).rejects.toThrow(`404 `);
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const asked = await runCamino(["request", "show", old_id], { cwd: gateway.data, env });
    expect(asked.status).toBe(1);
    expect(asked.stderr).toContain(" is gone: it ended on ");
  });

  test("the audit that was due has run by itself, and is told in the log, the metrics and Health", async () => {
    const { audit } = await eventually(
      "the audit",
      async () => {
        const health = await gateway.admin<SystemHealth>("GET", "/health");
        return health.audit.last === null ? null : health;
      },
      60_000,
      500,
    );
    expect(audit).toMatchObject({ hour: 3, running: false, last: { accounts: 1, problems: 0, first: [] } });
    await eventually("the log", async () => (gateway.log().includes("the books are right") ? true : null));
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain("camino_audit_problems 0");
    expect(metrics).toMatch(/camino_audit_timestamp_seconds 1\d{9}/);
  });

  if (kind === "sqlite") {
    test("pages show the audit, and what an old charge's link leads to", async () => {
      await using browser = await launchBrowser();
      const visitor = await browser.visit(gateway.url);
      const { page } = visitor;
      await signIn(visitor, gateway);
      await page.goto("/console/admin/health");
      const card = page.getByRole("region", { name: "Audit of the books" });
      await page.getByText("Once a day, from 3:00 UTC on.").waitFor();
      expect(await card.count()).toBeLessThanOrEqual(1);
      await checkBothThemes(page);
      await page.goto(`/console/requests/${old_id}`);
      await page.getByText(" is gone: it ended on ").waitFor();
      await checkBothThemes(page);
    });
  }
});
