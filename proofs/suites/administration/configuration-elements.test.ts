import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AuditPage } from "../../../contract/audit.ts";
import type { Element, ElementChange, ElementHistory, ElementList, Reloaded } from "../../../contract/configuration.ts";
import type { VendorTest } from "../../../contract/vendors.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { startHeldVendor } from "./support/held-vendor.ts";

/** Elements of the configuration are made, changed and taken back while two gateways serve on one database. */

const FILE = `
catalog: none
vendors:
  held: { protocol: chat-completions, base_url: "VENDOR", api_key: "\${HELD_KEY}", headers: { x-team: gateway } }
models:
  held/file: { price: { input: "1000", output: "2000" } }
aliases: { from-file: held/file }
`;

const vendor = startHeldVendor();
let one: Gateway;
let other: Gateway;
let key: TestKey;
beforeAll(async () => {
  const shared = {
    config: FILE.replace("VENDOR", vendor.base_url),
    database: await freshDatabase(),
    env: { CAMINO_SECRET: "a-secret-of-both-gateways-in-this-test", HELD_KEY: "sk-of-the-file" },
  };
  one = await startGateway(shared);
  other = await startGateway(shared);
  key = await one.newKey({ credit: "1000" });
}, 120_000);
afterAll(async () => {
  await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
  await vendor.stop();
});

const at = (kind: string, id: string) => `/configuration/elements/${kind}/${encodeURIComponent(id)}`;

async function versionOf(kind: string, id: string): Promise<number> {
  const { data } = await one.admin<ElementList>(
    "GET",
    `/configuration/elements?kind=${kind}&search=${encodeURIComponent(id)}`,
  );
  return data.find((each) => each.id === id)?.version ?? 0;
}

async function put(kind: string, id: string, value: unknown): Promise<ElementChange> {
  return one.admin<ElementChange>("PUT", at(kind, id), { value, version: await versionOf(kind, id) });
}

function act(kind: string, id: string, action: string, body: object): Promise<ElementChange> {
  return one.admin<ElementChange>("POST", `${at(kind, id)}/${action}`, body);
}

/** What an administrator's call is refused with. */
function refusal(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "not refused",
    (thrown: unknown) => String(thrown),
  );
}

async function call(gateway: Gateway, model: string, more: object = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }], max_tokens: 9, ...more }),
  });
}

async function statusOf(gateway: Gateway, model: string): Promise<number> {
  const response = await call(gateway, model);
  await response.text();
  return response.status;
}

/** What an answer was charged in micro units, by its receipt: 2 tokens of input and 1 of output (held-vendor.ts). */
async function charged(gateway: Gateway, response: Response): Promise<number> {
  await response.text();
  const id = response.headers.get("x-camino-request-id") ?? "";
  const receipt = await fetch(`${gateway.url}/v1/requests/${id}`, { headers: { authorization: `Bearer ${key.key}` } });
  return ((await receipt.json()) as { charge_micro: number }).charge_micro;
}

/** Waits as long as a change may take to reach another gateway. */
async function within5s(holds: () => Promise<boolean>): Promise<void> {
  const since = performance.now();
  while (!(await holds())) {
    if (performance.now() - since > 5000) throw new Error("it did not hold within five seconds");
    await Bun.sleep(50);
  }
}

const MODEL = { price: { input: "1000", output: "2000" } };

describe("a model that is made through the API", () => {
  test("is callable there at once, and on the other gateway within five seconds", async () => {
    expect(await statusOf(one, "held/made")).toBe(404);
    const change = await put("model", "held/made", { ...MODEL, context_length: 4096 });
    expect(change).toMatchObject({ version: 1, before: null, problems: [] });
    expect(change.effect.models.added).toEqual(["held/made"]);
    expect(await statusOf(one, "held/made")).toBe(200);
    await within5s(async () => (await statusOf(other, "held/made")) === 200);
    const shown = await other.admin<Element>("GET", at("model", "held/made"));
    expect(shown).toMatchObject({
      origin: "console",
      status: "in_force",
      version: 1,
      value: { ...MODEL, context_length: 4096 },
      changed: { changed_by: "admin-token" },
    });
    expect(shown.effective).toMatchObject({ routes: [{ vendor: "held", upstream_model: "made", weight: "1" }] });
  });

  test("is billed at a changed price from then on, and an answer that runs keeps the price that it began with", async () => {
    await put("model", "held/priced", { price: { input: "1000", output: "2000" } });
    expect(await charged(one, await call(one, "held/priced"))).toBe(4000);
    vendor.hold();
    const running = await call(one, "held/priced", { stream: true });
    const change = await put("model", "held/priced", { price: { input: "1500", output: "2250" } });
    expect(change.differences).toContainEqual({ path: "price.output", before: "2000.00", after: "2250.00" });
    const later = await call(one, "held/priced", { stream: true });
    vendor.release();
    expect(await charged(one, running)).toBe(4000);
    expect(await charged(one, later)).toBe(5250);
    await within5s(async () => (await charged(other, await call(other, "held/priced"))) === 5250);
  });

  test("is as it was after an earlier version is taken back, whose history stays", async () => {
    await put("model", "held/back", { price: { input: "1000", output: "2000" } });
    await put("model", "held/back", { price: { input: "7000", output: "8000" } });
    const change = await act("model", "held/back", "take-back", { version: 2, to: 1 });
    expect(change).toMatchObject({ version: 3, after: { price: { input: "1000.00", output: "2000.00" } } });
    expect(await charged(one, await call(one, "held/back"))).toBe(4000);
    const history = await one.admin<ElementHistory>("GET", `${at("model", "held/back")}/history`);
    expect(history.data.map(({ version, action }) => [version, action])).toEqual([
      [3, "take-back"],
      [2, "put"],
      [1, "put"],
    ]);
    await act("model", "held/back", "take-back", { version: 3, to: 0 });
    expect(await statusOf(one, "held/back")).toBe(404);
  });

  test("takes no new calls once it is retired, is shown as such, and can be reinstated", async () => {
    await put("model", "held/old", MODEL);
    await put("model", "held/young", { ...MODEL, fallbacks: ["held/old"] });
    await act("model", "held/old", "retire", { version: 1 });
    expect(await statusOf(one, "held/old")).toBe(404);
    expect(await statusOf(one, "held/young")).toBe(200);
    expect(await one.admin<Element>("GET", at("model", "held/old"))).toMatchObject({ status: "retired", version: 2 });
    await act("model", "held/old", "reinstate", { version: 2 });
    expect(await statusOf(one, "held/old")).toBe(200);
  });

  test("leaves a line of the audit log with what was and what is", async () => {
    await put("model", "held/logged", MODEL);
    await put("model", "held/logged", { ...MODEL, context_length: 9 });
    const { data } = await one.admin<AuditPage>("GET", "/audit-log?action=configuration&object=held/logged");
    expect(data[0]).toMatchObject({
      action: "configuration.put",
      object: { kind: "model", id: "held/logged" },
      before: { version: 1, value: MODEL },
      after: { version: 2, value: { ...MODEL, context_length: 9 } },
    });
  });
});

describe("a change that cannot be made", () => {
  test("is refused in the words of the file's checker, and nothing of it is stored", async () => {
    const told = await refusal(put("model", "held/wrong", { price: { input: "1,5", output: "2" }, contxt: 1 }));
    expect(told).toContain("400");
    expect(told).toContain('models.held/wrong.price.input: found \\"1,5\\"; allowed: a decimal of at least 0');
    expect(told).toContain('unknown key \\"contxt\\"');
    expect(await versionOf("model", "held/wrong")).toBe(0);
  });

  test("is told in a preview with its problems, and changes nothing", async () => {
    const preview = await one.admin<ElementChange>("POST", "/configuration/preview", {
      ...{ kind: "model", id: "held/seen", action: "put" },
      value: { price: { input: "1000", output: "2000" }, routes: [{ vendor: "hold" }] },
    });
    expect(preview.problems).toMatchObject([{ path: "models.held/seen.routes[0].vendor" }]);
    expect(preview.problems[0]?.message).toContain('did you mean "held"?');
    expect(await statusOf(one, "held/seen")).toBe(404);
    const unusable = await one.admin<ElementChange>("POST", "/configuration/preview", {
      ...{ kind: "model", id: "held/seen", action: "put" },
      value: { price: { input: 0.30000000000000004, output: "1" } },
    });
    expect(unusable.problems).toMatchObject([
      { path: "models.held/seen.price.input", found: "the number 0.30000000000000004" },
    ]);
  });

  test("is a 409 where somebody else was quicker, who is named", async () => {
    await put("model", "held/raced", MODEL);
    const late = one.admin("PUT", at("model", "held/raced"), {
      value: { price: { input: "3", output: "4" } },
      version: 0,
    });
    const told = await refusal(late);
    expect(told).toContain("409");
    expect(told).toContain("has version 1 by now, made by admin-token");
  });

  test("of many at once on two gateways leaves one of each version, and none half made", async () => {
    const puts = Array.from({ length: 8 }, (_, index) => {
      const value = { price: { input: String(index + 1), output: "1" } };
      return (index % 2 === 0 ? one : other).admin("PUT", at("model", "held/many"), { value, version: 0 });
    });
    const outcomes = await Promise.allSettled(puts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await versionOf("model", "held/many")).toBe(1);
  });

  test("may be sent again: the same change is made once", async () => {
    const send = () => one.admin<ElementChange>("PUT", at("model", "held/twice"), { value: MODEL, version: 0 });
    expect((await send()).version).toBe(1);
    expect((await send()).version).toBe(1);
  });

  test.each([
    [
      "vendor",
      "thief",
      { protocol: "chat-completions", base_url: "https://thief.example/v1", api_key: "sk-literal" },
      "a credential",
    ],
    ["vendor", "thief", { protocol: "chat-completions", base_url: "https://thief.example/${CAMINO_SECRET}" }, "${"],
    [
      "vendor",
      "thief",
      { protocol: "chat-completions", base_url: "https://thief.example/v1", headers: { "x-api-key": "k" } },
      "credential",
    ],
    ["model", "held/thief", { ...MODEL, display_name: "${CAMINO_SECRET}" }, "${"],
    ["alias", "nowhere", "held/none", "unknown model"],
    ["alias", "held/file", "held/file", "the id of a model"],
    ["limits", "default", { default_key: { rpm: 0 } }, "at least 1"],
  ])("a %s %s may not be %j", async (kind, id, value, told) => {
    const text = await refusal(put(kind, id, value));
    expect(text).toContain("400");
    expect(text).toContain(told);
    expect(text).not.toContain("sk-literal");
  });
});

describe("what the file names", () => {
  test("is shown as the file's without its secrets, and is read-only until it is taken over", async () => {
    const shown = await one.admin<Element>("GET", at("vendor", "held"));
    expect(shown).toMatchObject({
      origin: "file",
      version: 0,
      value: { api_key: "${HELD_KEY}", headers: { "x-team": "(not shown)" } },
    });
    expect(JSON.stringify(shown)).not.toContain("sk-of-the-file");
    expect(await refusal(put("model", "held/file", MODEL))).toContain("take it over first");
    expect(await refusal(act("model", "held/file", "retire", { version: 0 }))).toContain("take it over first");
  });

  test("is taken over and changed in one where that is said, but for a vendor, whose secrets the file has", async () => {
    const value = { price: { input: "4000", output: "4000" } };
    const asked = { kind: "model", id: "held/file", action: "put", value };
    expect(await refusal(one.admin("POST", "/configuration/preview", asked))).toContain("take it over first");
    const previewed = await one.admin<ElementChange>("POST", "/configuration/preview", { ...asked, take_over: true });
    expect(previewed).toMatchObject({ version: 0, problems: [] });
    const made = { value, version: 0, take_over: true };
    expect(await one.admin("PUT", at("model", "held/file"), made)).toMatchObject({ version: 1 });
    expect(await one.admin<Element>("GET", at("model", "held/file"))).toMatchObject({
      origin: "console",
      overrides: "file",
    });
    await act("model", "held/file", "give-back", { version: 1 });
    const vendor = { value: { base_url: "http://127.0.0.1:9/v1" }, version: 0, take_over: true };
    expect(await refusal(one.admin("PUT", at("vendor", "held"), vendor))).toContain("take it over first");
  });

  test("counts again once its copy is given back", async () => {
    const taken = await act("model", "held/file", "take-over", { version: 2 });
    expect(taken).toMatchObject({ version: 3, differences: [] });
    await put("model", "held/file", { price: { input: "5000", output: "5000" } });
    expect(await one.admin<Element>("GET", at("model", "held/file"))).toMatchObject({
      origin: "console",
      overrides: "file",
      below: { origin: "file", value: { price: { input: "1000", output: "2000" } } },
    });
    expect(await charged(one, await call(one, "held/file"))).toBe(15_000);
    expect(await refusal(act("model", "held/file", "delete", { version: 4 }))).toContain("give it back");
    await act("model", "held/file", "give-back", { version: 4 });
    expect(await charged(one, await call(one, "held/file"))).toBe(4000);
  });

  test("stays with the database's copy while the file is read again, and the copy is left out where it no longer fits", async () => {
    await put("alias", "quick", "held/file");
    expect(await statusOf(one, "quick")).toBe(200);
    expect(await statusOf(one, "from-file")).toBe(200);
    const text = FILE.replace("VENDOR", vendor.base_url);
    await Bun.write(join(one.data, "camino.yaml"), text.replaceAll("held/file", "held/renamed"));
    const reloaded = await one.admin<Reloaded>("POST", "/configuration/reload", {});
    expect(reloaded.left_out).toEqual(["alias quick"]);
    const left = await one.admin<Element>("GET", at("alias", "quick"));
    expect(left).toMatchObject({ status: "left_out", effective: null });
    expect(left.problem).toContain('aliases.quick: found the unknown model "held/file"');
    // The log is written a moment later.
    await within5s(async () => one.log().includes("an element of the database is left out of the configuration"));
    expect(await statusOf(one, "held/renamed")).toBe(200);
    await Bun.write(join(one.data, "camino.yaml"), text);
    await one.admin("POST", "/configuration/reload", {});
    expect(await statusOf(one, "quick")).toBe(200);
  });
});

describe("a try", () => {
  test("asks the vendor with what is not stored, and sends no credential to another server", async () => {
    vendor.forget();
    const value = { price: { input: "1", output: "1" }, routes: [{ vendor: "held", upstream_model: "tried" }] };
    const tried = await one.admin<VendorTest>("POST", "/configuration/try", { kind: "model", id: "held/tried", value });
    expect(tried).toMatchObject({ ok: true, vendor: "held", upstream_model: "tried" });
    expect(vendor.last()?.authorization).toBe("Bearer sk-of-the-file");
    expect(await statusOf(one, "held/tried")).toBe(404);
    const elsewhere = { protocol: "chat-completions", base_url: vendor.base_url.replace("127.0.0.1", "localhost") };
    const made = { kind: "vendor", id: "made", value: elsewhere, model: "held/file" };
    expect(await refusal(one.admin("POST", "/configuration/try", made))).toContain("400");
    expect(vendor.last()?.authorization).toBe("Bearer sk-of-the-file");
  });

  test("asks a new vendor, which no model goes to yet, for a model by its own name, without anybody's credential", async () => {
    vendor.forget();
    const value = { protocol: "chat-completions", base_url: vendor.base_url.replace("127.0.0.1", "localhost") };
    const made = { kind: "vendor", id: "newcomer", value };
    expect(await refusal(one.admin("POST", "/configuration/try", made))).toContain("has no model");
    const upstream_model = "org/its own:name";
    const tried = await one.admin<VendorTest>("POST", "/configuration/try", { ...made, upstream_model });
    expect(tried).toMatchObject({ ok: true, vendor: "newcomer", upstream_model });
    expect(vendor.last()?.authorization).toBeNull();
    const { total } = await one.admin<ElementList>("GET", "/configuration/elements?search=newcomer");
    expect(total).toBe(0);
  });
});

describe("a vendor's credential", () => {
  test("goes along with a vendor that is taken over, and stays behind when its address changes", async () => {
    await act("vendor", "held", "take-over", { version: 0 });
    vendor.forget();
    expect(await statusOf(one, "held/file")).toBe(200);
    expect(vendor.last()).toEqual({ authorization: "Bearer sk-of-the-file", team: "gateway" });
    const elsewhere = vendor.base_url.replace("127.0.0.1", "localhost");
    const change = await put("vendor", "held", { protocol: "chat-completions", base_url: elsewhere });
    expect(change.warnings.join()).toContain("would have no credential");
    vendor.forget();
    await statusOf(one, "held/file");
    expect(vendor.last()).toEqual({ authorization: null, team: null });
    await one.admin("PUT", "/vendors/held/credential", { api_key: "sk-of-the-console" });
    await statusOf(one, "held/file");
    expect(vendor.last()?.authorization).toBe("Bearer sk-of-the-console");
    await put("vendor", "held", { protocol: "chat-completions", base_url: vendor.base_url });
    vendor.forget();
    await statusOf(one, "held/file");
    expect(vendor.last()?.authorization).toBe("Bearer sk-of-the-file");
    await one.admin("DELETE", "/vendors/held/credential");
    await act("vendor", "held", "give-back", { version: await versionOf("vendor", "held") });
  });
});

test("what the database has is in force after a restart", async () => {
  await put("model", "held/kept", MODEL);
  await one.stop();
  const again = await one.restart();
  one = again;
  expect(await statusOf(again, "held/kept")).toBe(200);
}, 60_000);
