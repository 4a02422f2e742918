import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONSOLE_API } from "../../../contract/common.ts";
import type { Member, MemberList } from "../../../contract/members.ts";
import { ACCOUNT_ROLES, type AccountRole, roleMay, SCOPES, type Scope } from "../../../contract/permissions.ts";
import type { Session } from "../../../contract/session.ts";
import type { CreatedInvitation } from "../../../contract/users.ts";
import type { ConsoleRoute } from "../../../src/console-api/answer/route.ts";
import { ROUTES } from "../../../src/console-api/handle-console-api.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import type { Gateway } from "../../support/gateway.ts";
import { invite, PASSWORD, type Person, startTeam } from "../../support/people.ts";

/** Every route of the console API, tried by a member of every role: what the role may not do is a 403, and changes nothing. */

let gateway: Gateway;
let account: string;
let key: string;
let project: string;
let owner: Person;
/** A member of each role in the one account. */
const people = new Map<AccountRole, Person>();

beforeAll(async () => {
  ({ gateway, account, owner } = await startTeam({ owner: "owner@team.example" }));
  key = (await owner.browser.call<{ id: string }>("POST /keys", { account, name: "the key" })).body.id;
  project = (await owner.browser.call<{ id: string }>("POST /projects", { account, name: "the project" })).body.id;
  for (const role of ACCOUNT_ROLES)
    people.set(role, await invite(gateway, { email: `${role}@roles.example`, account, account_role: role }));
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

const nameOf = ({ method, path }: ConsoleRoute) => `${method} ${path.slice(CONSOLE_API.length)}`;
const scoped = ROUTES.filter(({ role, scope }) => role === "member" && scope !== "self");

/** Bodies and queries by which a route gets as far as asking who is calling; nothing that they name is there. */
const BODIES: Readonly<Record<string, () => object>> = {
  "POST /keys": () => ({ account, name: "of a role", models: ["none/*"] }),
  "POST /projects": () => ({ account, name: `of a role ${Math.random()}` }),
  "POST /invitations": () => ({ email: `guest-${Math.random()}@example.com`, account }),
  "POST /resolve": () => ({ name: "sim/echo" }),
  "POST /playground/key": () => ({ account }),
  "POST /playground/prompts": () => ({ account, name: "of a role", content: {} }),
  "POST /management-keys": () => ({ name: "of a role", scopes: ["usage:read"], account }),
  "PATCH /accounts/{account}/members/{user}": () => ({ role: "viewer" }),
};
const QUERIES: Readonly<Record<string, () => string>> = {
  "GET /resolve": () => `?key=${key}&name=sim/echo`,
  "GET /usage": () => "?by=key",
};

async function tryRoute(
  browser: ConsoleBrowser,
  route: ConsoleRoute,
): Promise<{ status: number; code: string | null }> {
  const name = nameOf(route);
  const values: Record<string, string> = {
    account,
    key,
    vendor: "sim",
    name: "echo",
    user: "user_none",
    request: "req_none",
    project,
  };
  const path = name.split(" ")[1]?.replace(/\{(\w+)\}/g, (_whole, field: string) => values[field] ?? "some-id") ?? "";
  const body = route.method === "GET" ? undefined : (BODIES[name]?.() ?? {});
  const reply = await browser.call<{ error?: { code: string } }>(
    `${route.method} ${path}${QUERIES[name]?.() ?? ""}`,
    body,
  );
  return { status: reply.status, code: reply.body.error?.code ?? null };
}

test("every route that members may call has a scope, and every scope is of some route", () => {
  expect(ROUTES.filter(({ role, scope }) => role !== "public" && scope === null).map(nameOf)).toEqual([]);
  const used = new Set(ROUTES.map(({ scope }) => scope));
  expect((Object.keys(SCOPES) as Scope[]).filter((scope) => !used.has(scope))).toEqual([]);
});

// Deleting and revoking the one key would leave nothing to try the rest with: they are tried last.
const in_order = scoped.toSorted((one, other) => Number(ends(one)) - Number(ends(other)));
function ends({ method, path }: ConsoleRoute): boolean {
  return method === "DELETE" || path.endsWith("/revoke");
}

for (const role of ["billing", "viewer", "member", "owner"] as const) {
  describe(`a member with the role ${role}`, () => {
    for (const route of in_order) {
      const may = roleMay(role, route.scope as Scope);
      test(`${may ? "may" : "may not"} ${nameOf(route)}`, async () => {
        const { browser } = people.get(role) as Person;
        const { status, code } = await tryRoute(browser, route);
        if (may) expect([401, 403]).not.toContain(status);
        else expect({ status, code }).toEqual({ status: 403, code: "not_permitted" });
      });
    }
  });
}

test("administration is hidden from every role", async () => {
  for (const role of ACCOUNT_ROLES)
    for (const route of ROUTES.filter((each) => each.role === "administrator")) {
      const { status } = await tryRoute((people.get(role) as Person).browser, route);
      expect({ role, route: nameOf(route), status }).toEqual({ role, route: nameOf(route), status: 404 });
    }
});

describe("a user with several accounts", () => {
  test("has in each the rights of the role there, and in a third none", async () => {
    const guest = await invite(gateway, { email: "guest@own.example" });
    const own = guest.session.user.account_id;
    await gateway.admin("POST", `/accounts/${account}/members`, { email: guest.email, role: "viewer" });
    const asked = async (request: string, body?: object) => (await guest.browser.call(request, body)).status;
    expect(await asked(`GET /keys?account=${account}`)).toBe(200);
    expect(await asked("POST /keys", { account, name: "no" })).toBe(403);
    expect(await asked("POST /keys", { account: own, name: "yes" })).toBe(201);
    const third = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "third@example.com" });
    expect(await asked(`GET /keys?account=${third.id}`)).toBe(404);
    const session = (await guest.browser.call<Session>("GET /session")).body;
    expect(Object.fromEntries(session.user.accounts.map(({ id, role }) => [id, role]))).toEqual({
      [own]: "owner",
      [account]: "viewer",
    });
  });

  test("who is removed sees it with the next call; the keys stay the account's, the playground key ends", async () => {
    const leaver = await invite(gateway, { email: "leaver@team.example", account, account_role: "member" });
    const made = await leaver.browser.call<{ id: string; key: string }>("POST /keys", {
      account,
      name: "of the leaver",
    });
    const played = await leaver.browser.call<{ key: string }>("POST /playground/key", { account });
    const models = (secret: string) =>
      fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } }).then(
        ({ status }) => status,
      );
    expect([await models(made.body.key), await models(played.body.key)]).toEqual([200, 200]);
    const removed = await owner.browser.call(`DELETE /accounts/${account}/members/${leaver.session.user.id}`);
    expect(removed.status).toBe(200);
    expect((await leaver.browser.call(`GET /keys?account=${account}`)).status).toBe(403);
    expect((await leaver.browser.call("GET /keys")).status).toBe(403);
    expect((await leaver.browser.call("GET /session")).status).toBe(200);
    expect([await models(made.body.key), await models(played.body.key)]).toEqual([200, 401]);
  });
});

describe("an owner", () => {
  test("invites an existing user, whom the link alone does not sign in, and who then joins", async () => {
    const guest = await invite(gateway, { email: "joiner@own.example" });
    const asked = { email: guest.email, account, account_role: "billing" };
    const made = await owner.browser.call<CreatedInvitation>("POST /invitations", asked);
    const token = tokenOf(made.body.link);
    const stranger = new ConsoleBrowser(gateway.url);
    const look = await stranger.call("POST /session/link/look", { token });
    expect(look.body).toMatchObject({ has_user: true, account: { role: "billing" } });
    expect((await stranger.call("POST /session/link", { token, password: "a stranger's password" })).status).toBe(409);
    expect((await owner.browser.call("POST /me/accounts", { token })).status).toBe(409);
    const joined = await guest.browser.call<Session & { joined: string }>("POST /me/accounts", { token });
    expect(joined.body.joined).toBe(account);
    expect(joined.body.user.accounts).toHaveLength(2);
    expect((await guest.browser.call("POST /me/accounts", { token })).status).toBe(410);
    const left = await guest.browser.call<Session>(`DELETE /me/accounts/${account}`);
    expect(left.body.user.accounts).toHaveLength(1);
    await stranger.signInByPassword(guest.email, PASSWORD);
  });

  test("changes roles, and the last owner stays", async () => {
    const { body } = await owner.browser.call<MemberList>(`GET /accounts/${account}/members`);
    const byEmail = (email: string) => body.data.find((each) => each.email === email) as Member;
    const viewer = byEmail("viewer@roles.example");
    const path = (member: Member) => `/accounts/${account}/members/${member.user}`;
    const promoted = await owner.browser.call<Member>(`PATCH ${path(viewer)}`, { role: "member" });
    expect(promoted.body.role).toBe("member");
    const second = byEmail("owner@roles.example");
    expect((await owner.browser.call(`DELETE ${path(second)}`)).status).toBe(200);
    const self = byEmail(owner.email);
    for (const request of [`DELETE ${path(self)}`, `DELETE /me/accounts/${account}`]) {
      const refused = await owner.browser.call<{ error: { message: string } }>(request);
      expect(refused.status).toBe(409);
      expect(refused.body.error.message).toContain("is the last owner of this account");
    }
    expect((await owner.browser.call(`PATCH ${path(self)}`, { role: "viewer" })).status).toBe(409);
  });

  test("invites no administrator, to no account but their own, and withdraws no invitation of another", async () => {
    const other = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "elsewhere@example.com" });
    const there = await gateway.admin<CreatedInvitation>("POST", "/invitations", {
      email: "a@example.com",
      account: other.id,
    });
    const asked = async (request: string, body?: object) => (await owner.browser.call(request, body)).status;
    expect(await asked("POST /invitations", { email: "b@example.com", account, role: "administrator" })).toBe(403);
    expect(await asked("POST /invitations", { email: "b@example.com" })).toBe(403);
    expect(await asked("POST /invitations", { email: "b@example.com", account: other.id })).toBe(404);
    expect(await asked(`DELETE /invitations/${there.id}`)).toBe(404);
  });
});
