import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../../simulator/server.ts";
import { newId } from "../../../src/core/ids.ts";
import { MOVED } from "../../../src/store/move/tables.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { runCamino, runHere } from "../../support/camino.ts";
import { fillFile } from "../../support/filled-file.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { VENDOR_KEY } from "../../support/simulated-gateway.ts";

const folder = await mkdtemp(join(tmpdir(), "camino-migrate-store-"));
afterAll(() => rm(folder, { recursive: true }));

interface Account {
  readonly balance_micro: number;
  readonly uncollected_micro: number;
}

async function startVendor() {
  const simulator = await startSimulator({ api_key: VENDOR_KEY });
  return { base_url: simulator.base_url, [Symbol.asyncDispose]: () => simulator.stop() };
}

async function chat(gateway: Gateway, key: string): Promise<{ status: number; id: string | null }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "acme/echo", messages: [{ role: "user", content: "Hello, Camino!" }] }),
  });
  await response.arrayBuffer();
  return { status: response.status, id: response.headers.get("x-request-id") };
}

const receiptOf = (gateway: Gateway, key: string, id: string | null): Promise<unknown> =>
  fetch(`${gateway.url}/v1/requests/${id}`, { headers: { authorization: `Bearer ${key}` } }).then((each) =>
    each.json(),
  );

test("a gateway goes on with PostgreSQL where it was: the same key, wallet, receipts and credentials", async () => {
  const to = await freshDatabase();
  const data = join(folder, "data");
  await mkdir(data);
  await using simulator = await startVendor();
  // JSON is YAML. The vendor's key is not here: it is set in the console, and stored encrypted.
  const vendors = { acme: { protocol: "chat-completions", base_url: simulator.base_url } };
  const models = { "acme/echo": { price: { input: 1, output: 4 } } };
  const config = JSON.stringify({ catalog: "none", vendors, models });
  const from = `sqlite:${join(data, "camino.db")}`;
  const first = await startGateway({ data, config });
  await first.admin("PUT", "/vendors/acme/credential", { api_key: VENDOR_KEY });
  const { key, account } = await first.newKey({ credit: "25" });
  const { status, id } = await chat(first, key);
  expect(status).toBe(200);
  const receipt = await receiptOf(first, key, id);
  const before = await first.admin<Account>("GET", `/accounts/${account}`);

  const served = await runHere(["migrate-store", "--from", from, "--to", to], { cwd: folder });
  expect(served).toMatchObject({ status: 1, stdout: "" });
  expect(served.stderr).toContain("is in use: a gateway serves it");
  // kill -9: what its journal has is moved too.
  await first.stop("SIGKILL");

  const moved = await runCamino(["migrate-store", "--from", from, "--to", to], { cwd: folder });
  expect(moved).toMatchObject({ status: 0 });
  expect(moved.stderr).toMatch(
    /^checking texts\ncopying: \d+ %\n(.*\n)*copying: 100 %\n(.*\n)*comparing: 100 %\nauditing\n$/,
  );
  expect(moved.stdout).toMatch(
    new RegExp(
      `has everything: \\d+ accounts?, \\d+ rows in ${MOVED.length} tables, each compared with the file, and audited\\.\n`,
    ),
  );
  expect(moved.stdout).toContain("Start the gateway with CAMINO_DATABASE_URL set to the address that --to has.");
  expect(moved.stdout).toContain(`the secret that they were made with (${join(data, "secret")})`);
  // Not the user's name, which may stand beside a password.
  expect(moved.stdout).not.toContain("postgres:");

  const old = await startGateway({ data, config }).then(
    () => "it started",
    (thrown: Error) => thrown.message,
  );
  expect(old).toMatch(/was moved to postgres 127\.0\.0\.1:\d+\/test_\d+ on/);

  await using second = await startGateway({ data, config, database: to });
  expect(await second.admin<Account>("GET", `/accounts/${account}`)).toEqual(before);
  expect(await receiptOf(second, key, id)).toEqual(receipt);
  expect(await chat(second, key)).toMatchObject({ status: 200 });
  const after = await second.admin<Account>("GET", `/accounts/${account}`);
  const spent = (each: Account): number => 25_000_000 - Number(each.balance_micro);
  expect(spent(after)).toBe(2 * spent(before));
  expect(after.uncollected_micro).toBe(before.uncollected_micro);
  const audit = await runHere(["audit", "--database", to], { cwd: folder });
  expect(audit).toMatchObject({ status: 0 });
}, 90_000);

test("differences that the file's own books have go along, are listed, and are the command's status", async () => {
  const [path, to] = [join(folder, "wrong.db"), await freshDatabase()];
  await fillFile(path);
  const file = new Database(path);
  file.run("UPDATE key_state SET spent_micro = spent_micro + 1, spent_window = 'day', spent_start_day = 0");
  file.run("INSERT INTO incidents (at_ms, kind, detail) VALUES (1, 'put_aside', 'one operation')");
  file.run("UPDATE usage_days SET cost_micro = cost_micro + 1 WHERE cost_micro > 0");
  file.close(true);
  const words = ["migrate-store", "--from", `sqlite:${path}`, "--to", to, "--json"];
  const moved = await runHere(words, { cwd: folder });
  expect(moved.status).toBe(1);
  const { tables, problems, was_complete } = JSON.parse(moved.stdout);
  expect({ requests: tables.requests > 10, was_complete }).toEqual({ requests: true, was_complete: false });
  expect(problems.length).toBeGreaterThan(0);
  const node = await openStore({ url: to, node_id: newId("node") });
  expect((await node.audit()).problems).toEqual(problems);
  await node.close();
  // The incident is closed where it is now.
  const listed = await runHere(["incident", "list", "--database", to, "--json"], { cwd: folder });
  expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining("one operation") });
  const close = ["incident", "close", "2", "--note", "booked by hand", "--database", to];
  expect(await runHere(close, { cwd: folder })).toMatchObject({ status: 0 });
  const audit = await runHere(["audit", "--database", to], { cwd: folder });
  expect(audit.stdout).not.toContain("one operation");
  const again = await runHere(words, { cwd: folder });
  expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("was moved to postgres") });
}, 60_000);

const REFUSED: readonly { readonly from: string; readonly to: string; readonly told: string }[] = [
  { from: "sqlite:a.db", to: "sqlite:b.db", told: "use `camino backup` and `camino restore`" },
  { from: "postgres://127.0.0.1/a", to: "sqlite:b.db", told: "nothing moves back" },
  { from: "postgres://127.0.0.1/a", to: "postgres://127.0.0.1/b", told: "use pg_dump and pg_restore" },
  { from: "a.db", to: "postgres://127.0.0.1/b", told: '--from must begin with "sqlite:", and --to with "postgres://"' },
  { from: "sqlite:a.db", to: "postgres://127.0.0.1:1/b", told: "The database postgres 127.0.0.1:1/b cannot be used: " },
];

for (const { from, to, told } of REFUSED) {
  test(`a move from ${from} to ${to} is refused`, async () => {
    const ran = await runHere(["migrate-store", "--from", from, "--to", to, "--json"], { cwd: folder });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain(told);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { type: "cli_error", code: "failed" } });
  });
}
