import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Check } from "typebox/value";
import { type AuditEntry, AuditPage } from "../../../contract/audit.ts";
import { CreatedInvitation, InvitationList, SignInLink, User, UserList } from "../../../contract/users.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD, type Person } from "../../support/people.ts";

/** Administrators' changes to users, and the audit log of all changes. */

let gateway: Gateway;
let boss: Person;

beforeAll(async () => {
  gateway = await startGateway();
  boss = await invite(gateway, { role: "administrator", email: "boss@example.com" });
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

async function log(query: string): Promise<AuditEntry[]> {
  const { status, body } = await boss.browser.call<AuditPage>(`GET /audit-log?${query}`);
  expect({ status, is_page: Check(AuditPage, body) }).toEqual({ status: 200, is_page: true });
  return body.data;
}

describe("users", () => {
  test("are listed with how they sign in, and are changed one by one", async () => {
    const { session } = await invite(gateway);
    const { body } = await boss.browser.call<UserList>("GET /users");
    expect(Check(UserList, body)).toBe(true);
    const found = body.data.find(({ id }) => id === session.user.id);
    expect(found).toMatchObject({
      role: "member",
      status: "active",
      has_password: true,
      account: session.user.account_id,
    });
    expect(found?.last_seen_at).not.toBeNull();
    const changed = await boss.browser.call(`PATCH /users/${session.user.email}`, { role: "administrator" });
    expect(Check(User, changed.body)).toBe(true);
    expect(changed.body).toMatchObject({ role: "administrator" });
    expect((await boss.browser.call("PATCH /users/user_none", { role: "member" })).status).toBe(404);
    expect((await boss.browser.call(`PATCH /users/${session.user.id}`, { role: "owner" })).status).toBe(400);
    await boss.browser.call(`PATCH /users/${session.user.id}`, { role: "member" });
  });

  test("the last administrator cannot be demoted", async () => {
    const me = `PATCH /users/${boss.session.user.id}`;
    for (const patch of [{ role: "member" }, { status: "disabled" }]) {
      const reply = await boss.browser.call(me, patch);
      expect(reply).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
      expect(JSON.stringify(reply.body)).toContain("last administrator");
    }
  });

  test("get invitations and links that are shown once", async () => {
    const invited = await boss.browser.call<CreatedInvitation>("POST /invitations", { email: "new@example.com" });
    expect({ status: invited.status, fits: Check(CreatedInvitation, invited.body) }).toEqual({
      status: 201,
      fits: true,
    });
    const list = await boss.browser.call("GET /invitations");
    expect(Check(InvitationList, list.body)).toBe(true);
    expect(list.body.data).toMatchObject([
      { email: "new@example.com", role: "member", invited_by: boss.session.user.id },
    ]);
    const { session } = await invite(gateway);
    const reset = await boss.browser.call(`POST /users/${session.user.id}/password-reset`);
    expect({ status: reset.status, fits: Check(SignInLink, reset.body) }).toEqual({ status: 201, fits: true });
    expect((await boss.browser.call("POST /invitations", { email: "not an address" })).status).toBe(400);
    expect((await boss.browser.call("POST /invitations", { email: "a@b.example", account: "acct_none" })).status).toBe(
      404,
    );
  });
});

describe("the audit log", () => {
  test("has each change of a key with actor, action, before and after, and never the key itself", async () => {
    const { browser, session } = await invite(gateway);
    const account = session.user.account_id;
    const made = await browser.call<{ id: string; key: string }>("POST /keys", { account, name: "ci" });
    const key = made.body.id;
    await browser.call(`PATCH /keys/${key}`, { aliases: [{ name: "fast", model: "sim/echo" }] });
    await browser.call(`POST /keys/${key}/disable`, {});
    await gateway.admin("POST", `/keys/${key}/revoke`);
    await browser.call(`DELETE /keys/${key}`);
    const entries = await log(`object=${key}`);
    expect(
      entries.map(({ action, actor, before, after }) => [action, actor.name, before?.status, after?.status]),
    ).toEqual([
      ["key.delete", session.user.email, "revoked", undefined],
      ["key.revoke", "admin-token", "disabled", "revoked"],
      ["key.disable", session.user.email, "active", "disabled"],
      ["key.update", session.user.email, "active", "active"],
      ["key.create", session.user.email, undefined, "active"],
    ]);
    expect(entries[3]).toMatchObject({
      account,
      object: { kind: "key", id: key },
      actor: { kind: "user", id: session.user.id },
      address: "127.0.0.1",
      before: { aliases: [] },
      after: { aliases: [{ name: "fast", model: "sim/echo" }] },
    });
    expect(JSON.stringify(entries)).not.toContain(made.body.key);
    expect(JSON.stringify(entries)).not.toContain("v1:");
  });

  test("has accounts, credits, users, invitations, passwords and sign-ins, and no refused changes", async () => {
    const account = await boss.browser.call<{ id: string }>("POST /accounts", {
      email: "acc@example.com",
      credit: "5",
    });
    const path = `/accounts/${account.body.id}`;
    await boss.browser.call(`POST ${path}/credits`, { amount: "2.5", note: "gift" });
    await boss.browser.call(`POST ${path}/credits`, { amount: "-99", kind: "correction" });
    await boss.browser.call(`POST ${path}/disable`, {});
    const { browser, session } = await invite(gateway, { account: account.body.id });
    await browser.call("PATCH /me", { password: "a second password", current_password: PASSWORD });
    await browser.call("DELETE /session");
    const entries = await log(`account=${account.body.id}`);
    expect(entries.map(({ action }) => action)).toEqual([
      "session.close",
      "user.update",
      "session.open",
      "user.create",
      "invitation.create",
      "account.disable",
      "credit.add",
      "credit.add",
      "account.create",
    ]);
    expect(entries[1]).toMatchObject({ actor: { id: session.user.id }, after: { password: "changed" } });
    expect(entries[6]).toMatchObject({
      before: { balance_micro: 5_000_000 },
      after: { balance_micro: 7_500_000, entry: { kind: "credit", amount_micro: 2_500_000, note: "gift" } },
    });
    const everything = JSON.stringify(await log("limit=500"));
    for (const secret of [PASSWORD, "a second password", "argon2", "#token", "camino_session"])
      expect(everything).not.toContain(secret);
  });

  test("is filtered and read a page at a time", async () => {
    const id = boss.session.user.id;
    for (const entry of await log(`actor=${id}&limit=500`)) expect(entry.actor.id).toBe(id);
    for (const entry of await log("action=account")) expect(entry.action).toStartWith("account.");
    const all = await log("limit=500");
    const seen: string[] = [];
    let before = "";
    do {
      const { body } = await boss.browser.call<AuditPage>(`GET /audit-log?limit=7${before}`);
      seen.push(...body.data.map((entry) => entry.id));
      before = body.next_before === null ? "" : `&before=${body.next_before}`;
    } while (before !== "");
    expect(seen).toEqual(all.map((entry) => entry.id));
    expect((await boss.browser.call("GET /audit-log?account=acct_none")).status).toBe(404);
  });
});

test("the log of the process has neither passwords nor tokens", async () => {
  const { browser, email } = await invite(gateway);
  await browser.call("POST /session/password", { email, password: PASSWORD });
  expect(gateway.log()).not.toContain(PASSWORD);
  for (const token of browser.cookies.values()) expect(gateway.log()).not.toContain(token);
});
