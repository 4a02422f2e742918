import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContentList } from "../../../contract/contents.ts";
import { startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { HookServer } from "../../support/hook-server.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { OtlpReceiver } from "../../support/otlp-receiver.ts";
import { plainModel } from "../../support/plain-model.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

/**
 * With alerts, mail, traces, contents, the cache and hooks all switched on: what is said reaches those alone who are to have it, and credentials
 * nobody but the one whom each is for. Everything else that leaves the gateway or lies on its disk is searched for them.
 */

/** What people say: prompts, what hooks and vendors answer, ids of end users. */
const SAID = {
  prompt: "canary-prompt-31f7",
  system: "canary-system-9a20",
  user: "canary-end-user-5d1c",
  tool: "canary-tool-77e0",
  by_hook: "canary-hook-answer-08bb",
  /** What is wrong in a request. Its error quotes it to the client, and so does what is kept of the refusal for the account. */
  field: "canaryField64c9",
};
/** Credentials, and who gets each. */
const SECRETS = {
  vendor: "canaryVendorCredential4410",
  hook: "canaryHookHeader2291",
  hook_query: "canaryHookQuery8812",
  collector: "canaryCollectorHeader6634",
  webhook: "canaryWebhookQuery1177",
  slack: "canarySlackPath9034",
  usage: "canaryUsageQuery5521",
};
const SMTP_PASSWORD = "s3cret canary";

const MODELS = [
  "echo",
  "fail-400",
  "fail-500",
  "echo-secret",
  "echo-secret@status=500",
  "cut-mid",
  "bad-json",
  "error-mid",
];

let parts: { collector: OtlpReceiver; hook: HookServer; mail: MailServer } & Record<
  "webhook" | "slack" | "usage",
  WebhookReceiver
>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let gateway: Gateway;
let key: TestKey;
/** What was sent to clients that did not ask for it. */
const answers: string[] = [];

beforeAll(async () => {
  const mail = await startMailServer();
  const start = startWebhookReceiver;
  const [webhook, slack, usage] = await Promise.all([start(), start(), start()]);
  parts = { collector: new OtlpReceiver(), hook: new HookServer(), mail, webhook, slack, usage };
  simulator = await startSimulator({ api_key: SECRETS.vendor });
  const { collector, hook } = parts;
  const config = {
    catalog: "none",
    console: { public_url: "http://models.example.com" },
    vendors: {
      acme: { protocol: ["chat-completions", "messages"], base_url: simulator.base_url, api_key: SECRETS.vendor },
    },
    models: Object.fromEntries(
      MODELS.map((upstream_model, at) => [
        `acme/m${at}`,
        plainModel({ price: { input: 1, output: 4 }, upstream_model, capabilities: { thinking: false, tools: true } }),
      ]),
    ),
    alerts: {
      to: [
        ...[`webhook:${webhook.url}?token=${SECRETS.webhook}`, `slack:${slack.url}/${SECRETS.slack}`],
        "mail:ops@example.com",
      ],
    },
    usage_events: { to: [`webhook:${usage.url}?token=${SECRETS.usage}`] },
    telemetry: {
      otlp: { endpoint: collector.url, headers: { "x-key": SECRETS.collector }, logs: true, forward_traceparent: true },
    },
    hooks: {
      before: {
        ...{ url: `${hook.url}/check?key=${SECRETS.hook_query}`, headers: { authorization: SECRETS.hook } },
        ...{ deadline: "2s", on_failure: "allow" },
      },
      after: { url: `${hook.url}/seen`, headers: { authorization: SECRETS.hook } },
    },
    content_log: { mask: ["email"] },
  };
  const env = { CAMINO_SMTP_URL: mail.url, CAMINO_LOG: "trace" };
  gateway = await startGateway({ config: JSON.stringify(config), env });
  key = await gateway.newKey({ credit: "3", rpm: 100_000 });
  await gateway.admin("PUT", "/contents/switches", { account: key.account, content_log: true, words: true });
  await askEverything();
}, 120_000);
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await simulator?.stop();
  for (const part of Object.values(parts ?? {})) await part[Symbol.asyncDispose]();
});

const tools = [
  { type: "function", function: { name: "look", description: SAID.tool, parameters: { type: "object" } } },
];

async function ask(model: string, stream: boolean, more: object = {}): Promise<void> {
  const messages = [
    { role: "system", content: SAID.system },
    { role: "user", content: `${SAID.prompt} writes to ${SAID.prompt}@example.com` },
  ];
  const body = { model, stream, messages, tools, user: SAID.user, ...more };
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "x-camino-cache": "10m", "user-agent": SAID.prompt },
    body: JSON.stringify(body),
  });
  await answer.text().catch(() => "");
}

/** What a hook may answer, in turn: what is right, and all that is not, with words in it. */
const HOOK_ANSWERS: readonly (() => Response)[] = [
  () => Response.json({ action: "allow" }),
  () => new Response(`${SAID.by_hook} is no JSON ${SAID.prompt}`),
  () => new Response(`{"action": "${SAID.by_hook}"}`),
  () => new Response(`{"action": "change", "body": ["${SAID.by_hook}"]}`),
  () => new Response(SAID.by_hook, { status: 500, statusText: "No" }),
  () => new Response(null, { status: 302, headers: { location: `http://127.0.0.1:1/${SAID.by_hook}` } }),
  () => Response.json({ action: "refuse", message: SAID.by_hook }),
];

async function askEverything(): Promise<void> {
  for (const answer of HOOK_ANSWERS) {
    parts.hook.answer = answer;
    await ask("acme/m0", false);
  }
  parts.hook.answer = () => Response.json({ action: "allow" });
  for (const at of MODELS.keys()) for (const stream of [false, true]) await ask(`acme/m${at}`, stream);
  // Refused before a vendor is asked: a model that is not there, a field that is wrong, a body that is no JSON.
  await ask(`acme/${SAID.field}`, false);
  await ask("acme/m0", false, { temperature: SAID.field });
  await ask("acme/m0", false, { [SAID.field]: [[SAID.field]] });
  const headers = { authorization: `Bearer ${key.key}` };
  const broken = { method: "POST", headers, body: `{"model": "acme/m0", "messages": [${SAID.field}` };
  await (await fetch(`${gateway.url}/v1/chat/completions`, broken)).text();
  for (const path of ["/metrics", "/healthz", "/readyz", "/v1/usage", "/v1/models", "/openapi.json"])
    answers.push(await (await fetch(gateway.url + path, { headers })).text());
}

function expectNone(text: string, where: string, allowed: readonly string[] = []): void {
  const client = key.key.slice("cm-".length, -4);
  const all = { ...SAID, ...SECRETS, client, smtp: SMTP_PASSWORD, smtp_encoded: encodeURIComponent(SMTP_PASSWORD) };
  for (const [name, secret] of Object.entries(all)) {
    if (!allowed.includes(name)) expect([where, name, text.includes(secret)]).toEqual([where, name, false]);
  }
}

describe("what is said and what is secret", () => {
  test("reaches those who are to have it: the hooks, the vendor, and who reads contents", async () => {
    const told = parts.hook.calls.map(({ text }) => text).join("\n");
    expect(told).toContain(SAID.prompt);
    expectNone(told, "hooks", [...Object.keys(SAID), "prompt"]);
    expect(parts.hook.calls.every(({ headers }) => headers.get("authorization") === SECRETS.hook)).toBe(true);
    const asked = simulator.log.requests.map(({ text, headers }) => text + JSON.stringify(headers)).join("\n");
    expect(asked).toContain(SAID.prompt);
    expectNone(asked, "the vendor", [...Object.keys(SAID), "vendor"]);
    const list = `/contents?account=${key.account}&words=${SAID.prompt}`;
    let found = await gateway.admin<ContentList>("GET", list);
    for (let tries = 0; tries < 200 && found.data.length < 10; tries += 1) {
      await Bun.sleep(50);
      found = await gateway.admin<ContentList>("GET", list);
    }
    expect(found.data.length).toBeGreaterThanOrEqual(10);
  }, 60_000);

  test("is in no event of an alert and in no mail", async () => {
    await parts.webhook.first("balance.low");
    await parts.mail.next("ops@example.com");
    expect(await gateway.admin("POST", "/mail/test", { to: "me@example.com" })).toMatchObject({ sent: true });
    const events = parts.webhook.taken.map(({ body }) => body).join("\n");
    expectNone(events, "webhooks");
    while (parts.slack.taken.length === 0) await Bun.sleep(50);
    expectNone(parts.slack.taken.map(({ body }) => body).join("\n"), "Slack");
    expectNone(parts.mail.mails.map(({ text }) => text).join("\n"), "mails");
    for (const path of ["/alerts", "/deliveries", "/audit-log?limit=200", "/health", "/keys", "/accounts"])
      expectNone(JSON.stringify(await gateway.admin<unknown>("GET", path)), path);
    // An address of a target is shown to those who may change it, and its query with it.
    expectNone(JSON.stringify(await gateway.admin<unknown>("GET", "/alerts/targets")), "targets", [
      "webhook",
      "slack",
      "usage",
    ]);
  }, 90_000);

  test("is in no usage event, and an export of what was said has that alone", async () => {
    const { event } = await parts.usage.first("usage.settled");
    expect(event.data).toMatchObject({ account: key.account, model: "acme/m0" });
    expectNone(parts.usage.taken.map(({ body }) => body).join("\n"), "usage events");
    const token = (await readFile(join(gateway.data, "admin-token"), "utf8")).trim();
    const answer = await fetch(`${gateway.url}/console/api/contents?account=${key.account}&format=jsonl`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const lines = await answer.text();
    expect(lines).toContain(SAID.prompt);
    // The address in the prompt is masked.
    expect(lines).not.toContain(`${SAID.prompt}@example.com`);
    expectNone(lines, "an export", Object.keys(SAID));
  }, 60_000);

  test("is in no answer that others get", () => {
    for (const text of answers) expectNone(text, "an answer");
  });

  test("is in no span, no metric and no line that a collector gets, and in no line of the log", async () => {
    expect(await gateway.stop()).toBe(0);
    const { collector } = parts;
    expect(collector.spans.length).toBeGreaterThan(20);
    expect(collector.logs.length).toBeGreaterThan(20);
    expect(collector.metrics.length).toBeGreaterThan(20);
    expectNone(Buffer.concat(collector.bodies).toString("latin1"), "the collector");
    expect(gateway.log()).toContain("the hook before a request failed");
    expectNone(gateway.log(), "the log");
  }, 60_000);

  test("is in no file of the data directory", async () => {
    const names = await readdir(gateway.data, { recursive: true });
    expect(names).toContain("camino.db");
    // The operator's own file has what it names, and a refusal is kept with its sentence, which may be the hook's.
    for (const name of names.filter((each) => each !== "camino.yaml" && !each.endsWith(".json")))
      expectNone(await readFile(join(gateway.data, name), "latin1").catch(() => ""), name, ["field", "by_hook"]);
  });
});
