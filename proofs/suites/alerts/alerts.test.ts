import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { AlertList, AlertTarget, AlertTargetList, DeliveryList, TestedTarget } from "../../../contract/alerts.ts";
import { runCamino } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

/** Alerts through whole gateways: what others' products got wrong, each against a real receiver and a real mail server. */

setDefaultTimeout(120_000);

const EAGER = join(import.meta.dir, "../../support/gateways/eager-gateway.ts");
const CANARY = "canary-of-the-address";

let mail: MailServer;
let hook: WebhookReceiver;
let gateway: Gateway;

beforeAll(async () => {
  [mail, hook] = await Promise.all([startMailServer(), startWebhookReceiver()]);
  const config = `console: { public_url: "http://models.example.com" }
vendors: { sim: {} }
alerts: { to: ["webhook:${hook.url}?token=${CANARY}", "mail:ops@example.com"] }
`;
  gateway = await startGateway({ config, env: { CAMINO_SMTP_URL: mail.url }, program: EAGER });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([mail[Symbol.asyncDispose](), hook[Symbol.asyncDispose]()]);
});

const targetsOf = async (): Promise<AlertTarget[]> =>
  (await gateway.admin<AlertTargetList>("GET", "/alerts/targets")).data;

/** Waits until the gateway knows of all that was sent: a receiver has it a moment earlier. */
async function nothingWaits(): Promise<void> {
  const waits = async () =>
    (await gateway.admin<DeliveryList>("GET", "/deliveries")).data.some(({ state }) => state === "waiting");
  while (await waits()) await Bun.sleep(20);
}

describe("the file's targets", () => {
  test("hear within a minute that a balance is low, once, signed over the bytes that came, and by mail", async () => {
    const account = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "poor@example.com" });
    await gateway.admin("POST", `/accounts/${account.id}/credits`, { amount: "2" });
    const told = await hook.first("balance.low");
    expect(told.event.data).toMatchObject({ account: account.id, balance_micro: 2_000_000 });
    const secret = (await targetsOf()).find(({ channel }) => channel === "webhook")?.secret ?? "";
    expect(secret).toStartWith("whsec_");
    expect(told.isSignedWith(secret)).toBe(true);
    expect(told.isSignedWith(secret.replace(/.{4}=$/, "AAAA="))).toBe(false);
    const { text } = await mail.next("ops@example.com");
    expect(text).toContain("poor@example");
    expect(text).toContain("2.00 USD");
    const { data } = await gateway.admin<AlertList>("GET", "/alerts");
    expect(data).toMatchObject([{ type: "balance.low", account: account.id, data: { balance_micro: 2_000_000 } }]);
  });

  test("hear it again neither after a restart nor while it stays so, and hear its end", async () => {
    await nothingWaits();
    await gateway.stop("SIGKILL");
    gateway = await gateway.restart();
    const [low] = (await gateway.admin<AlertList>("GET", "/alerts")).data;
    await gateway.admin("POST", `/accounts/${low?.account}/credits`, { amount: "50" });
    const ended = await hook.first("balance.low.ended");
    expect(ended.event.data).toMatchObject({ account: low?.account });
    expect(hook.taken.filter(({ event }) => event.type === "balance.low")).toHaveLength(1);
    expect((await gateway.admin<AlertList>("GET", "/alerts")).data).toEqual([]);
  });

  test("hear of a vendor whose first byte takes three times as long as it usually does", async () => {
    const now = Math.floor(Date.now() / 300_000);
    const books = new Database(join(gateway.data, "camino.db"));
    books.run("PRAGMA busy_timeout = 30000");
    const add = books.prepare(
      "INSERT INTO vendor_slots (slot, vendor, upstream_model, error, calls, first_ms, first_count, total_ms) VALUES (?, ?, ?, '', 12, ?, 12, 0)",
    );
    // The last five minutes are among them, as these may be over before it is looked.
    for (let ago = 0; ago <= 30; ago += 1) {
      add.run(now - ago, "tired", "m", 12 * (ago <= 3 ? 6000 : 1500));
      add.run(now - ago, "steady", "m", 12 * 6000);
    }
    books.close();
    const { event } = await hook.first("vendor.failing");
    expect(event.data).toEqual({
      ...{ vendor: "tired", model: "m", reason: "slow", first_byte_ms: 6000, usual_ms: 1500 },
    });
    while (!mail.mails.some(({ text }) => text.includes("The vendor tired is slow to answer m"))) await Bun.sleep(20);
  });

  test("are listed with what was told, and are changed in the file alone", async () => {
    await nothingWaits();
    const { data } = await gateway.admin<DeliveryList>("GET", "/deliveries");
    const webhooks = data.filter(({ channel, type }) => channel === "webhook" && type.startsWith("balance"));
    expect(webhooks.map(({ type, state, status }) => ({ type, state, status }))).toEqual([
      { type: "balance.low.ended", state: "delivered", status: 204 },
      { type: "balance.low", state: "delivered", status: 204 },
    ]);
    const [of_file] = await targetsOf();
    await expect(gateway.admin("DELETE", `/alerts/targets/${of_file?.id}`)).rejects.toThrow("file");
  });
});

describe("a target", () => {
  test("is added, tried, heard from and removed by commands", async () => {
    const run = async (...args: string[]) => {
      const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
      return await runCamino(args, { cwd: gateway.data, env });
    };
    const added = await run("alert", "add", `webhook:${hook.url}/by-command`, "--types", "vendor.failing", "--json");
    const target = JSON.parse(added.stdout) as AlertTarget;
    expect(target).toMatchObject({ channel: "webhook", types: ["vendor.failing"] });
    expect(target.secret).toStartWith("whsec_");
    expect((await run("alert", "list")).stdout).toContain(target.id);
    expect((await run("alert", "test", target.id)).stdout).toContain("has taken a test");
    expect((await hook.first("test")).isSignedWith(target.secret ?? "")).toBe(true);
    hook.behave(302);
    expect(await run("alert", "test", target.id)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("redirects are not followed"),
    });
    hook.behave(204);
    const [delivery] = (await gateway.admin<DeliveryList>("GET", "/deliveries?limit=1")).data;
    expect((await run("delivery", "list", "--limit", "1")).stdout).toContain(delivery?.id ?? "");
    const before = hook.taken.length;
    const of_hook = (await gateway.admin<DeliveryList>("GET", "/deliveries")).data.find(
      ({ channel }) => channel === "webhook",
    );
    expect((await run("delivery", "resend", of_hook?.id ?? "")).stdout).toContain("sent again");
    while (hook.taken.length === before) await Bun.sleep(20);
    expect(hook.taken.at(-1)).toMatchObject({ id: of_hook?.id ?? "", event: { type: of_hook?.type ?? "" } });
    expect((await run("alert", "remove", target.id)).stdout).toContain("Removed");
  });

  test.each([
    ["webhook:http://127.0.0.1:9/", "not https"],
    ["webhook:https://169.254.169.254/", "no https address with a host's name"],
    ["webhook:https://localhost/", "not a public host's name"],
    ["slack:https://me:secret@hooks.example.com/", "no https address"],
    ["pager:https://hooks.example.com/", "begins with"],
    ["mail:not an address", "begins with"],
  ])("of an account is refused for %s", async (to, why) => {
    const account = "poor@example.com";
    await expect(gateway.admin("POST", "/alerts/targets", { account, to })).rejects.toThrow(why);
  });

  test("of an account whose name leads to an inner network is never asked, whatever it was when it was named", async () => {
    // A public name with an address of this machine, as everybody can make one.
    const to = "webhook:https://localtest.me/hook";
    const target = await gateway.admin<AlertTarget>("POST", "/alerts/targets", { account: "poor@example.com", to });
    const tested = await gateway.admin<TestedTarget>("POST", `/alerts/targets/${target.id}/test`, {});
    // Where no names are found at all, it is not reached either.
    expect(tested).toMatchObject({ sent: false, reason: expect.stringMatching(/not a public one|no address|in time/) });
    await gateway.admin("DELETE", `/alerts/targets/${target.id}`);
  });
});

test("no address of a target is in the log, and no secret either", async () => {
  const secrets = (await targetsOf()).flatMap(({ secret }) => secret ?? []);
  for (const secret of [CANARY, ...secrets]) expect(gateway.log()).not.toContain(secret);
});

test("a backup that is late is told of, and its end once one was made, while the gateway runs", async () => {
  await using receiver = await startWebhookReceiver();
  const config = `vendors: { sim: {} }\nalerts: { to: ["webhook:${receiver.url}"], backup_after: 26h }\n`;
  await using waiting = await startGateway({ config, program: EAGER });
  expect((await receiver.first("backup.late")).event.data).toEqual({ backed_up_at: null, after_s: 93_600 });
  const made = await runCamino(["backup", "copy.db", "--data", waiting.data], { cwd: waiting.data });
  expect(made).toMatchObject({ status: 0 });
  await receiver.first("backup.late.ended");
  expect((await waiting.admin<AlertList>("GET", "/alerts")).data).toEqual([]);
});
