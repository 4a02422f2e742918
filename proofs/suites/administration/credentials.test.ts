import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Static } from "typebox";
import { AuditPage } from "../../../contract/audit.ts";
import { Deleted } from "../../../contract/common.ts";
import { Vendor, VendorList } from "../../../contract/vendors.ts";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { runCamino } from "../../support/camino.ts";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { ConsoleCaller } from "./support/console.ts";

/** Credentials that administrators set in the console: in force at once, kept sealed, shown to nobody. */

const RIGHT = "sk-right-canary-0123456789";
const WRONG = "sk-wrong-canary-9876543210";
const OPENAI_KEY = "sk-openai-canary-abcdefghij";

let vendor: Simulator;
let gateway: Gateway;
let admin: ConsoleCaller;
let key: TestKey;

function configFor({ base_url }: Simulator): string {
  return JSON.stringify({
    vendors: {
      acme: { protocol: ["chat-completions", "messages"], base_url, api_key: WRONG },
      bare: { protocol: "chat-completions", base_url },
    },
    models: {
      "acme/echo": { price: { input: 1, output: 4 } },
      "acme/slow": { upstream_model: "slow@ms=20", price: { input: 1, output: 4 } },
      "bare/echo": { price: { input: 1, output: 4 } },
    },
  });
}

beforeAll(async () => {
  vendor = await startSimulator({ api_key: RIGHT });
  gateway = await startGateway({
    config: configFor(vendor),
    env: { MISTRAL_API_KEY: "sk-mistral-of-the-environment" },
  });
  admin = await ConsoleCaller.of(gateway);
  key = await gateway.newKey();
}, 30_000);

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop();
});

const call = async (model: string, at = gateway): Promise<number> => {
  return (await new Caller(at, key.key).generate("chat", model)).status;
};
const vendorOf = (id: string, at = admin) => at.read(Vendor, `GET /vendors/${id}`);

describe("a credential that is set in the console", () => {
  test("replaces the file's credential from the next request on, until it is deleted", async () => {
    expect(await call("acme/echo")).toBe(502);
    expect((await vendorOf("acme")).credential).toMatchObject({ source: "file", hint: "3210", stored: null });

    const set = await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: ` ${RIGHT}\n` });
    expect(set.credential).toMatchObject({ source: "console", hint: "6789", kind: "api_key", variable: null });
    expect(set.credential.stored).toMatchObject({ set_by: "admin-token", problem: null, instead_of: "file" });
    expect(await call("acme/echo")).toBe(200);

    const gone = await admin.read(Vendor, "DELETE /vendors/acme/credential");
    expect(gone.credential).toMatchObject({ source: "file", hint: "3210", stored: null });
    expect(await call("acme/echo")).toBe(502);
    expect(await admin.refusal(404, "DELETE /vendors/acme/credential")).toMatchObject({ code: "not_found" });
  });

  test("is used where the file has no credential", async () => {
    expect(await call("bare/echo")).toBe(502);
    await admin.read(Vendor, "PUT /vendors/bare/credential", { api_key: RIGHT });
    expect(await call("bare/echo")).toBe(200);
    expect((await vendorOf("bare")).credential.stored?.instead_of).toBeNull();
  });

  test("closes circuits that the old credential had opened", async () => {
    await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: WRONG });
    for (let time = 0; time < 20; time += 1) expect(await call("acme/echo")).toBe(502);
    const [route] = (await vendorOf("acme")).models;
    expect(route?.health?.circuit.state).toBe("open");
    expect(Date.parse(route?.health?.circuit.half_opens_at ?? "")).toBeGreaterThan(Date.now());
    expect(await call("acme/echo")).toBe(503);
    await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: RIGHT });
    expect((await vendorOf("acme")).health?.circuits_open).toBe(0);
    expect(await call("acme/echo")).toBe(200);
  });

  test("leaves running streams alone: a stream that began with the old credential ends with it", async () => {
    await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: RIGHT });
    const stream = await new Caller(gateway, key.key).send("POST", "/v1/chat/completions", {
      model: "acme/slow",
      stream: true,
      messages: [{ role: "user", content: "one two three four five six seven eight nine ten" }],
    });
    const reader = stream.body?.getReader();
    let text = new TextDecoder().decode((await reader?.read())?.value);
    await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: WRONG });
    expect(await call("acme/echo")).toBe(502);
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      text += new TextDecoder().decode(read.value);
    }
    expect(text).toContain("data: [DONE]");
    await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: RIGHT });
  });

  test("enables a vendor that Camino knows, with its models, until it is deleted", async () => {
    const before = await vendorOf("openai");
    expect(before).toMatchObject({ status: "not_configured", enabled_by: null, health: null, missing: [] });
    expect(before.credential).toMatchObject({ source: null, needed: "yes", kinds: ["api_key"], stored: null });
    expect(before.model_count).toBeGreaterThan(0);

    const after = await admin.read(Vendor, "PUT /vendors/openai/credential", { api_key: OPENAI_KEY });
    expect(after).toMatchObject({ status: "enabled", enabled_by: "console", model_count: before.model_count });
    expect(await modelsOf("openai/")).toHaveLength(before.model_count);

    expect(await admin.read(Vendor, "DELETE /vendors/openai/credential")).toMatchObject({ status: "not_configured" });
    expect(await modelsOf("openai/")).toEqual([]);
  });

  test("may come with the settings that the vendor's address contains", async () => {
    const refused = await admin.refusal(400, "PUT /vendors/azure/credential", { api_key: RIGHT });
    expect(refused.message).toContain("AZURE_RESOURCE_NAME");
    const settings = { AZURE_RESOURCE_NAME: "my-resource" };
    const azure = await admin.read(Vendor, "PUT /vendors/azure/credential", { api_key: RIGHT, settings });
    expect(azure.endpoints[0]?.base_url).toBe("https://my-resource.openai.azure.com/openai/v1");
    expect(azure.settings).toEqual([{ name: "AZURE_RESOURCE_NAME", value: "my-resource" }]);
    await admin.read(Vendor, "DELETE /vendors/azure/credential");
  });

  test("may be AWS's, with a region, or the key of a Google service account", async () => {
    const aws = { access_key_id: "AKIAEXAMPLE00001", secret_access_key: RIGHT, region: "eu-central-1" };
    const bedrock = await admin.read(Vendor, "PUT /vendors/amazon-bedrock/credential", { aws });
    expect(bedrock.credential).toMatchObject({ kind: "aws", hint: "0001", source: "console" });
    expect(bedrock.endpoints[0]).toMatchObject({
      base_url: "https://bedrock-runtime.eu-central-1.amazonaws.com",
      credential: "sigv4",
    });
    const bearer = { api_key: RIGHT, settings: { AWS_REGION: "us-east-1" } };
    expect((await admin.read(Vendor, "PUT /vendors/amazon-bedrock/credential", bearer)).endpoints[0]).toMatchObject({
      base_url: "https://bedrock-runtime.us-east-1.amazonaws.com",
      credential: "bearer",
    });
    await admin.read(Vendor, "DELETE /vendors/amazon-bedrock/credential");

    const account = {
      type: "service_account",
      client_email: "a@b.example",
      private_key: RIGHT,
      private_key_id: "abcdef012345",
    };
    const vertex = await admin.read(Vendor, "PUT /vendors/google-vertex/credential", {
      google_service_account: JSON.stringify(account),
      settings: { GOOGLE_VERTEX_PROJECT: "my-project" },
    });
    expect(vertex.credential).toMatchObject({ kind: "google_service_account", hint: "2345" });
    await admin.read(Vendor, "DELETE /vendors/google-vertex/credential");
  });
});

async function modelsOf(prefix: string): Promise<string[]> {
  const { json } = await new Caller(gateway, key.key).get("/v1/models?kind=all");
  const listed = json.data as { id: string }[];
  return listed.map(({ id }) => id).filter((id) => id.startsWith(prefix));
}

test("every change of a credential is in the audit log, without the credential", async () => {
  await admin.read(Vendor, "PUT /vendors/mistral/credential", { api_key: RIGHT });
  await admin.read(Vendor, "DELETE /vendors/mistral/credential");
  await admin.refusal(404, "DELETE /vendors/mistral/credential");
  const { data } = await admin.read(AuditPage, "GET /audit-log?object=mistral");
  expect(data.map(({ action }) => action)).toEqual(["vendor_credential.delete", "vendor_credential.set"]);
  const [gone, set] = data;
  const environment = { status: "enabled", source: "environment", kind: "api_key", hint: "ment" };
  const console_key = { ...environment, source: "console", hint: "6789" };
  expect(set).toMatchObject({ object: { kind: "vendor", id: "mistral" }, before: environment, after: console_key });
  expect(gone).toMatchObject({ actor: { kind: "admin-token" }, before: console_key, after: environment });
});

describe("credentials are hidden from everybody but administrators:", () => {
  const CALLS: [call: string, body?: object][] = [
    ["GET /vendors"],
    ["GET /vendors/acme"],
    ["PUT /vendors/acme/credential", { api_key: WRONG }],
    ["DELETE /vendors/acme/credential"],
    ["POST /vendors/acme/test", {}],
    ["GET /prices"],
    ["GET /routes"],
    ["GET /limits"],
    ["GET /health"],
  ];

  test("a member", async () => {
    const { browser } = await invite(gateway);
    const before = await vendorOf("acme");
    const asked = vendor.log.total;
    for (const [call, body] of CALLS) {
      expect({ call, ...(await browser.call(call, body)) }).toMatchObject({ call, status: 404 });
    }
    expect((await vendorOf("acme")).credential).toEqual(before.credential);
    expect(vendor.log.total).toBe(asked);
  });

  test("a stranger", async () => {
    const browser = new ConsoleBrowser(gateway.url);
    for (const [call, body] of CALLS) {
      expect({ call, ...(await browser.call(call, body)) }).toMatchObject({ call, status: 401 });
    }
  });
});

test("a signed-in administrator is named as the actor who set it", async () => {
  const { browser, session, email } = await invite(gateway, { role: "administrator" });
  const set = await browser.call<Static<typeof Vendor>>("PUT /vendors/mistral/credential", { api_key: RIGHT });
  expect(set.body.credential.stored?.set_by).toBe(session.user.id);
  const { data } = await admin.read(AuditPage, "GET /audit-log?object=mistral&limit=1");
  expect(data[0]).toMatchObject({ actor: { kind: "user", id: session.user.id, name: email } });
  expect((await browser.call("DELETE /vendors/mistral/credential")).status).toBe(200);
});

test("the first run ends when a credential brings real models, and begins again when it is deleted", async () => {
  await using unconfigured = await startGateway();
  const its_admin = await ConsoleCaller.of(unconfigured);
  const { key: its_key } = await unconfigured.newKey();
  const status = async (model: string) => (await new Caller(unconfigured, its_key).generate("chat", model)).status;
  expect(await status("sim/echo")).toBe(200);
  await its_admin.read(Vendor, "PUT /vendors/openai/credential", { api_key: OPENAI_KEY });
  expect(await status("sim/echo")).toBe(404);
  await its_admin.read(Vendor, "DELETE /vendors/openai/credential");
  expect(await status("sim/echo")).toBe(200);
}, 30_000);

describe("a credential is refused, and the answer repeats no part of it,", () => {
  const cases: [what: string, vendor: string, body: object, said: string][] = [
    ["when there is none", "acme", {}, "no credential"],
    [
      "when there are two",
      "acme",
      { api_key: RIGHT, google_service_account: "{}" },
      "api_key and google_service_account",
    ],
    ["when the vendor takes another kind", "google-vertex", { api_key: RIGHT }, "google_service_account"],
    ["with a blank inside", "acme", { api_key: `${RIGHT} ${RIGHT}` }, "'api_key'"],
    ["with nothing in it", "acme", { api_key: "  " }, "'api_key'"],
    ["that is a path on the gateway's machine", "google-vertex", { google_service_account: "/etc/passwd" }, "JSON"],
    [
      "whose tokens come from an unsafe address",
      "google-vertex",
      { google_service_account: UNSAFE_ACCOUNT() },
      "https",
    ],
    [
      "with a setting that the vendor has not",
      "acme",
      { api_key: RIGHT, settings: { OLLAMA_HOST: "x" } },
      "OLLAMA_HOST",
    ],
    [
      "for a server whose address the environment has to tell",
      "vllm",
      { api_key: RIGHT },
      "say first where it listens",
    ],
    ["that is a mask", "acme", { api_key: "********" }, "as it is shown"],
    ["that is a mask with its last characters", "openai", { api_key: "****abcd" }, "as it is shown"],
    ["with a field that is not known", "acme", { key: RIGHT }, "'key'"],
  ];
  for (const [what, id, body, said] of cases) {
    test(what, async () => {
      const before = await vendorOf(id);
      const { message, code } = await admin.refusal(400, `PUT /vendors/${id}/credential`, body);
      expect(code).toBe("invalid_request");
      expect(message).toContain(said);
      expect(message).not.toContain("canary");
      expect((await vendorOf(id)).credential).toEqual(before.credential);
    });
  }

  test("for a vendor that nobody knows", async () => {
    expect(await admin.refusal(404, "PUT /vendors/nobody/credential", { api_key: RIGHT })).toMatchObject({
      code: "not_found",
    });
  });
});

function UNSAFE_ACCOUNT(): string {
  const token_uri = "http://169.254.169.254/token";
  return JSON.stringify({ type: "service_account", client_email: "a@b.example", private_key: RIGHT, token_uri });
}

describe("vendors", () => {
  test("are listed with their credential's source: configured ones first, then those that lack it", async () => {
    const { data, node, window_s } = await admin.read(VendorList, "GET /vendors");
    expect(node).toStartWith("node_");
    expect(window_s).toBe(300);
    expect(data.slice(0, 2).map(({ id }) => id)).toEqual(["acme", "bare"]);
    const by_id = new Map(data.map((each) => [each.id, each]));
    expect(by_id.size).toBe(data.length);
    expect(by_id.get("acme")).toMatchObject({ enabled_by: "file", known: false, local: false });
    expect(by_id.get("mistral")).toMatchObject({
      status: "enabled",
      enabled_by: "environment",
      credential: { source: "environment", variable: "MISTRAL_API_KEY", hint: "ment" },
    });
    expect(by_id.get("ollama")).toMatchObject({
      status: "not_configured",
      local: true,
      missing: ["OLLAMA_HOST"],
      credential: { needed: "optional" },
    });
    expect(by_id.get("google-vertex")).toMatchObject({ missing: ["GOOGLE_VERTEX_PROJECT"] });
  });

  test("that do not exist are not found", async () => {
    expect(await admin.refusal(404, "GET /vendors/nobody")).toMatchObject({ code: "not_found" });
  });
});

test("no credential is in any answer, in the log, or readable in the database", async () => {
  await admin.read(Vendor, "PUT /vendors/openai/credential", { api_key: OPENAI_KEY });
  await admin.read(VendorList, "GET /vendors");
  const audit = await (await admin.send("GET /audit-log")).text();
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const files = (await readdir(gateway.data)).filter((name) => name.startsWith("camino.db"));
  const database = await Promise.all(files.map((name) => readFile(join(gateway.data, name), "latin1")));
  expect(files.length).toBeGreaterThan(0);
  for (const text of [...admin.told, gateway.log(), audit, metrics, ...database]) expect(text).not.toContain("canary");
  await admin.read(Vendor, "DELETE /vendors/openai/credential");
});

describe("when the gateway starts again", () => {
  let next: Gateway | null = null;
  const restarted = async (env: Record<string, string> = {}): Promise<ConsoleCaller> => {
    await next?.stop();
    next = await startGateway({ config: configFor(vendor), data: gateway.data, env });
    return await ConsoleCaller.of(next);
  };
  const shown = (of: Static<typeof Vendor>) => ({ status: of.status, source: of.credential.source });

  afterAll(() => next?.stop());

  test("its credentials are in force", async () => {
    await admin.read(Vendor, "PUT /vendors/acme/credential", { api_key: RIGHT });
    await admin.read(Vendor, "PUT /vendors/openai/credential", { api_key: OPENAI_KEY });
    await gateway.stop();
    const again = await restarted();
    expect(shown(await vendorOf("openai", again))).toEqual({ status: "enabled", source: "console" });
    expect(await call("acme/echo", next ?? gateway)).toBe(200);
  });

  test("without a vendor in its file, the vendor's credential is still shown, and can be deleted", async () => {
    await next?.stop();
    const { vendors, models } = JSON.parse(configFor(vendor));
    const less = { vendors: { bare: vendors.bare }, models: { "bare/echo": models["bare/echo"] } };
    next = await startGateway({ config: JSON.stringify(less), data: gateway.data });
    const again = await ConsoleCaller.of(next);
    const left = await vendorOf("acme", again);
    expect(left).toMatchObject({ status: "not_offered", known: false, model_count: 0, protocols: [] });
    expect(left.credential.stored?.problem).toContain("no vendor 'acme'");
    expect((await again.read(VendorList, "GET /vendors")).data.at(-1)?.id).toBe("acme");
    expect(await again.refusal(400, "PUT /vendors/acme/credential", { api_key: RIGHT })).toMatchObject({
      code: "invalid_request",
    });
    await again.read(Deleted, "DELETE /vendors/acme/credential");
    await again.refusal(404, "GET /vendors/acme");
  });

  test("with another secret that was accepted, it starts, reports the unreadable credential, and takes it anew", async () => {
    const env = { CAMINO_SECRET: "quite another secret than before" };
    await next?.stop();
    const accepted = await runCamino(["accept-secret"], {
      cwd: gateway.data,
      env: { ...env, CAMINO_DATA: gateway.data },
    });
    expect(accepted).toMatchObject({ status: 0 });
    const again = await restarted(env);
    const openai = await vendorOf("openai", again);
    expect(shown(openai)).toEqual({ status: "not_configured", source: null });
    expect(openai.credential.stored?.problem).toContain("CAMINO_SECRET");
    expect(shown(await vendorOf("acme", again))).toEqual({ status: "enabled", source: "file" });
    const set = await again.read(Vendor, "PUT /vendors/openai/credential", { api_key: OPENAI_KEY });
    expect(shown(set)).toEqual({ status: "enabled", source: "console" });
    expect(set.credential.stored?.problem).toBeNull();
    // A credential that cannot be read can still be deleted.
    expect((await vendorOf("bare", again)).credential.stored?.problem).toContain("CAMINO_SECRET");
    expect((await again.read(Vendor, "DELETE /vendors/bare/credential")).credential.stored).toBeNull();
  });
});
