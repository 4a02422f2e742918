import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AuditPage } from "../../../contract/audit.ts";
import { CONSOLE_API, type ErrorBody } from "../../../contract/common.ts";
import type { CreatedManagementKey, ManagementKeyPage } from "../../../contract/management-keys.ts";
import { GRANTABLE_SCOPES } from "../../../contract/management-keys.ts";
import { ROLE_SCOPES, type Scope } from "../../../contract/permissions.ts";
import { ROUTES } from "../../../src/console-api/handle-console-api.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";

/** Keys of programs that administer: what each may do, for which account, and what becomes of guesses. */

let gateway: Gateway;
let customer: TestKey;
let other: TestKey;

beforeAll(async () => {
  gateway = await startGateway();
  customer = await gateway.newKey();
  other = await gateway.newKey();
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

interface Reply<Body> {
  readonly status: number;
  readonly body: Body & Partial<ErrorBody>;
}

async function call<Body = object>(key: string, request: string, body?: object): Promise<Reply<Body>> {
  const [method = "", path = ""] = request.split(" ");
  const response = await fetch(`${gateway.url}${CONSOLE_API}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  return { status: response.status, body: (await response.json()) as Body & Partial<ErrorBody> };
}

function keyWith(scopes: readonly Scope[], more: object = {}): Promise<CreatedManagementKey> {
  return gateway.admin("POST", "/management-keys", { name: `for ${scopes[0]}`, scopes, ...more });
}

describe("a management key", () => {
  test("does what its scopes say, and nothing else; the refusal names scope and key", async () => {
    const { key } = await keyWith(["keys:read", "usage:read"]);
    expect(key).toMatch(/^cmm-[0-9A-Za-z]{54}$/);
    expect((await call(key, "GET /keys")).status).toBe(200);
    expect((await call(key, `GET /usage?by=key&account=${customer.account}`)).status).toBe(200);
    const refused = await call(key, "POST /keys", { account: customer.account });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({ code: "not_permitted", type: "permission_error" });
    expect(refused.body.error?.message).toBe(
      "This management key may not do this (keys:write). Its scopes: keys:read, usage:read.",
    );
  });

  test("opens of every route those that its scope names", async () => {
    for (const scope of GRANTABLE_SCOPES) {
      const { key } = await keyWith([scope]);
      for (const route of ROUTES.filter((each) => each.role !== "public" && each.method === "GET")) {
        const path = route.path.slice(CONSOLE_API.length).replace(/\{\w+\}/g, "none");
        const { status } = await call(key, `GET ${path}`);
        expect({ scope, path, open: status !== 403 }).toEqual({ scope, path, open: route.scope === scope });
      }
    }
  }, 60_000);

  test("for one account reaches that account only", async () => {
    const scopes = ["accounts:read", "keys:read", "keys:write", "credits:write", "requests:read"] as const;
    const { key } = await keyWith(scopes, { account: customer.account });
    const asked = async (request: string, body?: object) => (await call(key, request, body)).status;
    expect(await asked(`GET /accounts/${customer.account}`)).toBe(200);
    expect(await asked(`GET /accounts/${other.account}`)).toBe(404);
    expect(await asked("GET /accounts")).toBe(403);
    const { body } = await call<{ data: { account: string }[] }>(key, "GET /keys");
    expect(new Set(body.data.map(({ account }) => account))).toEqual(new Set([customer.account]));
    expect(await asked(`GET /keys/${other.id}`)).toBe(404);
    expect(await asked(`DELETE /keys/${other.id}`)).toBe(404);
    expect(await asked("POST /keys", { account: other.account })).toBe(404);
    expect(await asked("POST /keys", { account: customer.account, name: "made by a program" })).toBe(201);
    expect(await asked(`POST /accounts/${customer.account}/credits`, { amount: "1" })).toBe(201);
    expect(await asked(`POST /accounts/${other.account}/credits`, { amount: "1" })).toBe(404);
    expect(await asked(`GET /requests?account=${other.account}`)).toBe(404);
    expect(await asked("GET /me/sessions")).toBe(403);
  });

  test("is the actor in the audit log, under its name", async () => {
    const made = await keyWith(["keys:write"]);
    await call(made.key, "POST /keys", { account: customer.account, name: "audited" });
    const log = await gateway.admin<AuditPage>("GET", `/audit-log?actor=${made.id}`);
    expect(log.data[0]).toMatchObject({
      action: "key.create",
      actor: { kind: "management-key", id: made.id, name: "for keys:write" },
    });
    const by_token = await gateway.admin<AuditPage>("GET", "/audit-log?actor=admin-token&limit=500");
    expect(by_token.data.every(({ actor }) => actor.kind === "admin-token")).toBe(true);
    expect(JSON.stringify([log, by_token])).not.toContain(made.key);
  });

  test("that is revoked or expired is refused with the next call, and says why", async () => {
    const { key, id } = await keyWith(["keys:read"]);
    expect((await call(key, "GET /keys")).status).toBe(200);
    await gateway.admin("POST", `/management-keys/${id}/revoke`);
    const refused = await call(key, "GET /keys");
    expect([refused.status, refused.body.error?.message]).toEqual([
      401,
      "This management key is revoked. Use another one.",
    ]);
    const expires_at = new Date(Date.now() + 1500).toISOString();
    const brief = await keyWith(["keys:read"], { expires_at });
    expect((await call(brief.key, "GET /keys")).status).toBe(200);
    await Bun.sleep(Date.parse(expires_at) - Date.now() + 50);
    const late = await call(brief.key, "GET /keys");
    expect([late.status, late.body.error?.code]).toEqual([401, "api_key_inactive"]);
    const { data } = await gateway.admin<ManagementKeyPage>("GET", "/management-keys?limit=500");
    const statuses = Object.fromEntries(data.map((each) => [each.id, each.status]));
    expect([statuses[id], statuses[brief.id]]).toEqual(["revoked", "expired"]);
    expect(JSON.stringify(data)).not.toContain(key);
  });

  test("lists come in pages, each of which names where the next one begins", async () => {
    const account = (await gateway.admin<{ id: string }>("POST", "/accounts", { email: "paged@example.com" })).id;
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await keyWith(["usage:read"], { account })).id);
    const seen: string[] = [];
    for (let before: string | null = ""; before !== null; ) {
      const path = `/management-keys?account=${account}&limit=2${before === "" ? "" : `&before=${before}`}`;
      const page: ManagementKeyPage = await gateway.admin("GET", path);
      seen.push(...page.data.map(({ id }) => id));
      before = page.next_before;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });
});

describe("nobody gives more than they have", () => {
  test("a key makes keys with its own scopes and its own account only", async () => {
    const { key } = await keyWith(["management_keys:write", "keys:read"], { account: customer.account });
    const made = (body: object) => call(key, "POST /management-keys", { name: "child", ...body });
    expect((await made({ scopes: ["keys:read"], account: customer.account })).status).toBe(201);
    expect((await made({ scopes: ["keys:write"], account: customer.account })).status).toBe(403);
    expect((await made({ scopes: ["keys:read"] })).status).toBe(403);
    expect((await made({ scopes: ["keys:read"], account: other.account })).status).toBe(404);
  });

  test("an owner's key does what the owner may, and none of what administrators do", async () => {
    const owner = await invite(gateway, { email: "owner@keys.example" });
    const account = owner.session.user.account_id;
    const scopes = ROLE_SCOPES.owner.filter((scope) => GRANTABLE_SCOPES.includes(scope));
    const asked = { name: "the owner's", scopes, account };
    const { body } = await owner.browser.call<CreatedManagementKey>("POST /management-keys", asked);
    const more = await owner.browser.call("POST /management-keys", { ...asked, scopes: ["credits:write"] });
    expect(more.status).toBe(403);
    for (const route of ROUTES.filter(({ role }) => role === "administrator")) {
      const path = route.path
        .slice(CONSOLE_API.length)
        .replace("{account}", account)
        .replace(/\{\w+\}/g, "none");
      const given = path.endsWith("/members") ? { email: owner.email, role: "viewer" } : {};
      const { status } = await call(body.key, `${route.method} ${path}`, given);
      expect({ path, method: route.method, status }).toEqual({ path, method: route.method, status: 403 });
    }
  });

  test("a key neither makes nor changes an administrator, whatever its scopes", async () => {
    const { user } = (await invite(gateway, { role: "administrator", email: "boss@keys.example" })).session;
    const plain = (await invite(gateway, { email: "plain@keys.example" })).session.user;
    const { key } = await keyWith(GRANTABLE_SCOPES);
    const asked = async (request: string, body?: object) => (await call(key, request, body)).status;
    expect(await asked("POST /invitations", { email: "new@keys.example", role: "administrator" })).toBe(403);
    expect(await asked(`PATCH /users/${plain.id}`, { role: "administrator" })).toBe(403);
    expect(await asked(`PATCH /users/${user.id}`, { status: "disabled" })).toBe(403);
    expect(await asked(`POST /users/${user.id}/password-reset`)).toBe(403);
    expect(await asked("POST /first-administrator-link")).toBe(403);
    expect(await asked(`PATCH /users/${plain.id}`, { status: "disabled" })).toBe(200);
  });
});

describe("keys of the wrong kind", () => {
  test("an API key administers nothing, and says so", async () => {
    const { status, body } = await call(customer.key, "GET /keys");
    expect(status).toBe(401);
    expect(body.error?.message).toStartWith("This is an API key (cm-…): it can call models only.");
  });

  test("a management key calls no model, and says so", async () => {
    const { key } = await keyWith(["models:read"]);
    for (const path of ["/v1/models", "/v1/credits"]) {
      const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      const { error } = (await response.json()) as ErrorBody;
      expect([response.status, error.code]).toEqual([401, "invalid_api_key"]);
      expect(error.message).toStartWith("This is a management key (cmm-…)");
    }
    const swapped = `cm-${key.slice(4)}`;
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${swapped}` } })).status).toBe(
      401,
    );
    expect((await call(`cmm-${customer.key.slice(3)}`, "GET /keys")).status).toBe(401);
  });
});

test("guesses are slowed like the admin token's; whoever has shown a right key goes on", async () => {
  await using guessed = await startGateway();
  const ask = async (key: string) =>
    (await fetch(`${guessed.url}${CONSOLE_API}/keys`, { headers: { authorization: `Bearer ${key}` } })).status;
  const made = await guessed.admin<CreatedManagementKey>("POST", "/management-keys", {
    name: "known",
    scopes: ["keys:read"],
  });
  const fresh = Array.from({ length: 12 }, (_, at) => `cmm-${String(at).padStart(54, "0")}`);
  const answers: number[] = [];
  for (const guess of fresh) answers.push(await ask(guess));
  expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
  expect(answers.at(-1)).toBe(429);
  expect(await ask(made.key)).toBe(200);
});
