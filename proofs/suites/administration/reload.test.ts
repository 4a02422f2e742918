import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AuditPage } from "../../../contract/audit.ts";
import type { Reloaded } from "../../../contract/configuration.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";

/** The configuration file is read again while the gateway runs: by `camino reload`, by SIGHUP and by the console's API. */

const ROOT = join(import.meta.dir, "../../..");

function file({ output = "2", more = "", model = "swift" }: { output?: string; more?: string; model?: string } = {}) {
  return `
catalog: none
vendors: { sim: {} }
models:
  sim/echo: { price: { input: "1", output: "${output}" } }
  acme/${model}: { price: { input: "1", output: "${output}" }, routes: [{ vendor: sim, upstream_model: echo }] }
${more}`;
}

let gateway: Gateway;
let key: TestKey;
beforeAll(async () => {
  gateway = await startGateway({ config: file() });
  key = await gateway.newKey();
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

function write(text: string): Promise<number> {
  return Bun.write(join(gateway.data, "camino.yaml"), text);
}

function reload(): Promise<Reloaded> {
  return gateway.admin<Reloaded>("POST", "/configuration/reload", {});
}

async function call(model: string) {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "one two three" }] }),
  });
  await response.text();
  const id = response.headers.get("x-camino-request-id") ?? "";
  return { status: response.status, charged: response.ok ? await charged(id) : 0 };
}

/** What a request was charged, by its receipt. */
async function charged(request_id: string): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/requests/${request_id}`, {
    headers: { authorization: `Bearer ${key.key}` },
  });
  return ((await response.json()) as { charge_micro: number }).charge_micro;
}

async function command(...flags: string[]) {
  const child = Bun.spawn(
    [join(ROOT, "bin/camino"), "reload", "--url", gateway.url, "--data", gateway.data, ...flags],
    {
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

/** How often the log has said that the file was refused. */
function refusals(): number {
  return gateway.log().split("the earlier one stays in effect").length - 1;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(20);
}

describe("a changed file", () => {
  test("is in force with the answer of `camino reload`, which says what changed", async () => {
    await write(file());
    await reload();
    expect((await call("acme/quick")).status).toBe(404);
    await write(file({ model: "quick", more: "limits: { default_key: { rpm: 500 } }" }));
    const { status, stdout } = await command();
    expect({ status, lines: stdout.trim().split("\n").slice(1) }).toEqual({
      status: 0,
      lines: ["+ model acme/quick", "- model acme/swift", "~ limits.default_key"],
    });
    expect((await call("acme/quick")).status).toBe(200);
    expect((await call("acme/swift")).status).toBe(404);
    expect((await command()).stdout).toContain("nothing has changed");
    expect(JSON.parse((await command("--json")).stdout)).toMatchObject({ models: { added: [], removed: [] } });
  });

  test("is in force after SIGHUP", async () => {
    await write(file());
    await reload();
    await write(file({ model: "hup" }));
    gateway.signal("SIGHUP");
    await until(async () => (await call("acme/hup")).status === 200);
    await until(async () => gateway.log().includes("the configuration was read again"));
  });

  test("charges its price from the next request on", async () => {
    await write(file({ output: "2000" }));
    await reload();
    const before = await call("acme/swift");
    await write(file({ output: "4000" }));
    expect((await reload()).models.changed).toEqual([
      { id: "acme/swift", fields: ["prices"] },
      { id: "sim/echo", fields: ["prices"] },
    ]);
    const after = await call("acme/swift");
    expect([before.status, after.status]).toEqual([200, 200]);
    expect(before.charged).toBeGreaterThan(0);
    expect(after.charged).toBeGreaterThan(1.5 * before.charged);
  });

  test("is in the audit log", async () => {
    await write(file({ model: "logged" }));
    await reload();
    const { data } = await gateway.admin<AuditPage>("GET", "/audit-log?action=configuration.reload");
    expect(data[0]).toMatchObject({
      action: "configuration.reload",
      object: { kind: "configuration", id: join(gateway.data, "camino.yaml") },
      after: { models: { added: ["acme/logged"], added_count: 1 } },
    });
  });

  test("names the sections that wait for a restart", async () => {
    await write(file({ more: "responses: { keep: 2h }" }));
    expect((await reload()).after_restart).toEqual(["responses"]);
    expect((await command()).stdout).toContain("! responses: takes effect after a restart");
  });
});

describe("a file that cannot be used", () => {
  test.each([
    ["with a mistake", file().replace('input: "1"', 'input: "1,5"'), "models.sim/echo.price.input"],
    ["that is cut off", "vendors: { sim", "camino.yaml"],
    ["in another currency", `currency: EUR\n${file()}`, "currency: EUR"],
  ])("%s is refused with what is wrong, and the earlier one stays in force", async (_, text, told) => {
    await write(file());
    await reload();
    await write(text);
    const { status, stderr } = await command();
    expect(status).toBe(1);
    expect(stderr).toContain(told);
    const told_before = refusals();
    gateway.signal("SIGHUP");
    await until(async () => refusals() > told_before);
    expect((await call("acme/swift")).status).toBe(200);
  });
});

test("a gateway of several workers reads it in each of them", async () => {
  await using several = await startGateway({ config: file(), env: { CAMINO_WORKERS: "2" } });
  const { key: own } = await several.newKey();
  await Bun.write(join(several.data, "camino.yaml"), file({ model: "everywhere" }));
  await several.admin("POST", "/configuration/reload", {});
  // Each call has a connection of its own, so that both workers are asked.
  const ask = async () => {
    const response = await fetch(`${several.url}/v1/models/acme%2Feverywhere`, {
      headers: { authorization: `Bearer ${own}`, connection: "close" },
    });
    await response.text();
    return response.status;
  };
  await until(async () => {
    const statuses = await Promise.all(Array.from({ length: 12 }, ask));
    return statuses.every((status) => status === 200);
  });
}, 60_000);
