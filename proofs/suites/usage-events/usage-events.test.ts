import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AlertTargetList, Delivery, DeliveryList } from "../../../contract/alerts.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { once, provesWhole, say, startScene, VENDOR_KEY } from "./scene.ts";

/** Usage events (docs/rulings.md 234) of whole gateways, to a real receiver, a storage that speaks S3 and a folder, each of which fails at times. */

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

/** Sends everything that waits once more, at once. */
async function hasten(gateway: Gateway): Promise<void> {
  const { data } = await gateway.admin<DeliveryList>("GET", "/deliveries?limit=100");
  const waiting = data.filter(({ state }) => state === "waiting");
  for (const { id } of waiting) await gateway.admin<Delivery>("POST", `/deliveries/${id}/resend`, {});
}

describe.each([
  ["the embedded database", async () => undefined],
  ["PostgreSQL", freshDatabase],
])("on %s", (_name, newDatabase) => {
  test("each target has what the ledger charged, through kill -9 in the midst of calls", async () => {
    await using scene = await startScene(simulator);
    const database = await newDatabase();
    let gateway = await startGateway({ config: scene.config, ...(database && { database }) });
    const keys: TestKey[] = [await gateway.newKey(), await gateway.newKey()];
    for (let round = 0; round < 3; round += 1) {
      const calls = keys.flatMap(({ key }) => {
        const caller = new Caller(gateway, key);
        const quick = Array.from({ length: 4 }, () => say(caller));
        return [...quick, say(caller, "Hello", "acme/slow")].map((call) => call.catch(() => ""));
      });
      await Promise.race([Promise.all(calls), Bun.sleep(1_500)]);
      await gateway.stop("SIGKILL");
      await Promise.all(calls);
      gateway = await gateway.restart();
    }
    await using last = gateway;
    for (const { account } of keys)
      for (const told of Object.values(scene.told))
        expect((await provesWhole(last, account, told)).length).toBeGreaterThan(5);
    const secrets = (await last.admin<AlertTargetList>("GET", "/alerts/targets")).data.flatMap(
      ({ secret }) => secret ?? [],
    );
    expect(scene.hook.taken.every((each) => each.isSignedWith(secrets[0] ?? ""))).toBe(true);
    for (const canary of ["s3cret", ...secrets, scene.hook.url]) expect(last.log()).not.toContain(canary);
  }, 240_000);
});

describe("a target that fails", () => {
  test("gets everything in order once it is back, and keeps no call and no other target waiting", async () => {
    await using scene = await startScene(simulator);
    await using gateway = await startGateway({ config: scene.config });
    const { key, account } = await gateway.newKey();
    const caller = new Caller(gateway, key);
    scene.hook.behave(410);
    scene.storage.behave("refuses");
    for (let call = 0; call < 3; call += 1) expect(await say(caller)).toStartWith("req_");
    await provesWhole(gateway, account, scene.told.file);
    while (scene.storage.puts.length === 0 || scene.hook.taken.length === 0) await Bun.sleep(50);
    const refused = scene.hook.taken.length;
    expect(once(scene.told.webhook(), account)).toHaveLength(1);
    // The one that was refused comes again under the same id, and nothing overtakes it.
    for (const how of ["full", "away", "silent", "takes"] as const) {
      scene.storage.behave(how);
      scene.hook.behave(how === "takes" ? 204 : 503);
      await say(caller);
      await hasten(gateway);
    }
    while (scene.storage.objects.size === 0) {
      await hasten(gateway);
      await Bun.sleep(500);
    }
    for (const told of [scene.told.webhook, scene.told.s3]) await provesWhole(gateway, account, told);
    const [first, again] = [scene.hook.taken[0], scene.hook.taken[refused]];
    expect({ id: again?.id, body: again?.body }).toEqual({ id: first?.id, body: first?.body });
    const { data } = await gateway.admin<DeliveryList>("GET", "/deliveries");
    expect(data.map(({ type, account: of }) => [type, of])).toEqual(data.map(() => ["usage.settled", null]));
    expect(data.find(({ channel }) => channel === "webhook")?.title).toMatch(/^\d usage events? of acct_/);
  }, 240_000);

  test("as its disk is full gets whole lines once there is room", async () => {
    await using scene = await startScene(simulator);
    mkdirSync(scene.folder, { recursive: true });
    const days = [0, 1].map((later) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10));
    for (const day of days) symlinkSync("/dev/full", join(scene.folder, `${day}.jsonl`));
    await using gateway = await startGateway({ config: scene.config });
    const { key, account } = await gateway.newKey();
    await say(new Caller(gateway, key));
    const find = async (): Promise<Delivery | undefined> =>
      (await gateway.admin<DeliveryList>("GET", "/deliveries")).data.find(({ channel }) => channel === "file");
    while ((await find())?.reason == null) await Bun.sleep(100);
    expect(await find()).toMatchObject({ state: "waiting", reason: "the disk is full" });
    for (const day of days) rmSync(join(scene.folder, `${day}.jsonl`));
    await hasten(gateway);
    await provesWhole(gateway, account, scene.told.file);
  }, 120_000);
});

test("targets are listed with their secrets, tried, and said again by commands, and doctor tries them", async () => {
  await using scene = await startScene(simulator);
  await using gateway = await startGateway({ config: scene.config });
  const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
  const run = (...args: string[]) => runCamino(args, { cwd: gateway.data, env });
  const { key, account } = await gateway.newKey();
  await say(new Caller(gateway, key));
  for (const told of Object.values(scene.told)) await provesWhole(gateway, account, told);
  const targets = (JSON.parse((await run("alert", "list", "--json")).stdout) as AlertTargetList).data;
  expect(targets.map(({ channel, types, of_file, secret }) => [channel, types, of_file, secret !== undefined])).toEqual(
    [
      ["webhook", ["usage.settled"], true, true],
      ["s3", ["usage.settled"], true, false],
      ["file", ["usage.settled"], true, false],
    ],
  );
  for (const { id } of targets) expect((await run("alert", "test", id)).stdout).toContain("has taken a test");
  expect((await run("alert", "list")).stdout).not.toContain("s3cret");
  const listed = (await run("delivery", "list")).stdout;
  expect(listed).toContain("usage.settled");
  const [, id = ""] = /(dlv_\w+).* usage\.settled/.exec(listed) ?? [];
  expect((await run("delivery", "resend", id)).stdout).toContain("sent again");
  const doctor = async () =>
    JSON.parse((await run("doctor", "--json", "--config", join(gateway.data, "camino.yaml"))).stdout) as {
      checks: { outcome: string; subject: string; detail: string }[];
    };
  const about = async () => (await doctor()).checks.filter(({ subject }) => subject.startsWith("usage events"));
  expect((await about()).map(({ outcome }) => outcome)).toEqual(["note", "ok", "ok"]);
  scene.hook.behave(401);
  scene.storage.behave("refuses");
  rmSync(scene.folder, { recursive: true });
  expect((await about()).map(({ outcome }) => outcome)).toEqual(["ok", "failed", "note"]);
  writeFileSync(scene.folder, "");
  const found = await about();
  expect(found.map(({ outcome }) => outcome)).toEqual(["ok", "failed", "failed"]);
  expect(JSON.stringify(found)).not.toContain("s3cret");
}, 120_000);

test("without targets nothing is stored and nothing is asked", async () => {
  await using scene = await startScene(simulator);
  const { usage_events: _, ...config } = JSON.parse(scene.config) as Record<string, unknown>;
  await using gateway = await startGateway({ config: JSON.stringify(config) });
  const { key } = await gateway.newKey();
  await say(new Caller(gateway, key));
  await Bun.sleep(3_000);
  expect((await gateway.admin<DeliveryList>("GET", "/deliveries")).data).toEqual([]);
  expect(scene.hook.taken).toEqual([]);
}, 60_000);
