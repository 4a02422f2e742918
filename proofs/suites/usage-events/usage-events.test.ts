import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AlertTargetList, Delivery, DeliveryList } from "../../../contract/alerts.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { type ObjectStorage, startObjectStorage } from "../../support/object-storage.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

/** Usage events (docs/rulings.md 234) of whole gateways, to a real receiver, a storage that speaks S3 and a folder, each of which fails at times. */

const VENDOR_KEY = "sk-vendor-0123456789";
const SECRET = "one secret for both of the gateways";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

interface Event {
  readonly account: string;
  readonly cursor: number;
  readonly request_id: string;
  readonly charge_micro: number;
}

/** The three targets, and what each was told. */
class Scene implements AsyncDisposable {
  readonly hook: WebhookReceiver;
  readonly storage: ObjectStorage = startObjectStorage();
  readonly folder = join(mkdtempSync(join(tmpdir(), "camino-usage-")), "usage");

  constructor(hook: WebhookReceiver) {
    this.hook = hook;
  }

  get config(): string {
    const model = { price: { input: "1.00", output: "4.00" }, max_completion_tokens: 4096 };
    return JSON.stringify({
      catalog: "none",
      vendors: { acme: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY } },
      models: {
        "acme/echo": { ...model, capabilities: { thinking: false } },
        "acme/slow": { ...model, upstream_model: "long@tokens=200&ms=20", capabilities: { thinking: false } },
      },
      usage_events: { to: [`webhook:${this.hook.url}`, this.storage.target, `file:${this.folder}`] },
    });
  }

  readonly told = {
    webhook: (): Event[] => this.hook.taken.map(({ event }) => event.data as unknown as Event),
    s3: (): Event[] =>
      [...this.storage.objects].flatMap(([path, text]) => (path.includes("dlv_") ? linesOf(text) : [])),
    file: (): Event[] => filesOf(this.folder).flatMap(linesOf),
  } as const;

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.hook[Symbol.asyncDispose](), this.storage[Symbol.asyncDispose]()]);
    rmSync(join(this.folder, ".."), { recursive: true });
  }
}

async function startScene(): Promise<Scene> {
  return new Scene(await startWebhookReceiver());
}

function linesOf(text: string): Event[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Event]));
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  } catch {
    return [];
  }
}

/** The events of an account, each once, in the order in which each first came. */
function once(told: readonly Event[], account: string): Event[] {
  const seen = new Set<number>();
  return told.filter((event) => event.account === account && !seen.has(event.cursor) && seen.add(event.cursor));
}

async function say(caller: Caller, content = "Hello", model = "acme/echo"): Promise<string> {
  const body = { model, messages: [{ role: "user", content }] };
  const { headers } = await caller.post("/v1/chat/completions", body);
  return headers.get("x-camino-request-id") ?? "";
}

/** What the ledger has charged of an account's credit, once nothing is held. */
async function chargedOf(gateway: Gateway, account: string): Promise<number> {
  for (;;) {
    const { balance_micro, uncollected_micro } = await gateway.admin<Record<"balance_micro" | "uncollected_micro", number>>(
      "GET",
      `/accounts/${account}`,
    );
    if (Number(uncollected_micro) === 0) return 10_000_000 - Number(balance_micro);
    await Bun.sleep(100);
  }
}

const sumOf = (events: readonly Event[]): number => events.reduce((sum, { charge_micro }) => sum + charge_micro, 0);

/** Waits until a target has all of an account, and proves that it is the ledger, in its order. */
async function provesWhole(gateway: Gateway, account: string, told: () => Event[]): Promise<Event[]> {
  const charged = await chargedOf(gateway, account);
  while (sumOf(once(told(), account)) < charged) await Bun.sleep(100);
  const events = once(told(), account);
  expect(sumOf(events)).toBe(charged);
  expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, at) => at + 1));
  expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(events.length);
  return events;
}

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
    await using scene = await startScene();
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

test("two gateways on one database tell each event in order, also where one of them is killed", async () => {
  await using scene = await startScene();
  const shared = { config: scene.config, database: await freshDatabase(), env: { CAMINO_SECRET: SECRET } };
  const one = await startGateway(shared);
  await using two = await startGateway(shared);
  const keys = [await two.newKey(), await two.newKey()];
  const callBoth = async (gateways: readonly Gateway[]): Promise<void> => {
    const calls = gateways.flatMap((gateway) => keys.map(({ key }) => say(new Caller(gateway, key))));
    await Promise.all(calls.map((call) => call.catch(() => "")));
  };
  for (let round = 0; round < 4; round += 1) await callBoth([one, two]);
  const dying = callBoth([one, two]);
  await one.stop("SIGKILL");
  await dying;
  await one[Symbol.asyncDispose]();
  await callBoth([two]);
  for (const { account } of keys) for (const told of Object.values(scene.told)) await provesWhole(two, account, told);
}, 240_000);

describe("a target that fails", () => {
  test("gets everything in order once it is back, and keeps no call and no other target waiting", async () => {
    await using scene = await startScene();
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
    for (const how of ["full", "silent", "takes"] as const) {
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
    await using scene = await startScene();
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
  await using scene = await startScene();
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
  await using scene = await startScene();
  const { usage_events: _, ...config } = JSON.parse(scene.config) as Record<string, unknown>;
  await using gateway = await startGateway({ config: JSON.stringify(config) });
  const { key } = await gateway.newKey();
  await say(new Caller(gateway, key));
  await Bun.sleep(3_000);
  expect((await gateway.admin<DeliveryList>("GET", "/deliveries")).data).toEqual([]);
  expect(scene.hook.taken).toEqual([]);
}, 60_000);
