import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Account } from "../../../contract/accounts.ts";
import type { AuditPage } from "../../../contract/audit.ts";
import { CONSOLE_API } from "../../../contract/common.ts";
import type { EntryList } from "../../../contract/credits.ts";
import type { CreatedManagementKey } from "../../../contract/management-keys.ts";
import type { LinkLook } from "../../../contract/session.ts";
import type { CreatedInvitation, InvitationList } from "../../../contract/users.ts";
import { runCamino } from "../../support/camino.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD, type Person } from "../../support/people.ts";

/** An invitation may bring credit: who may give it, what is understood, and what the ledger and the audit log say of it. */

let gateway: Gateway;
let boss: Person;

beforeAll(async () => {
  gateway = await startGateway();
  boss = await invite(gateway, { role: "administrator", email: "boss@example.com" });
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

test("is shown before it is accepted, booked once when it is, and names whom it is from", async () => {
  const { status, body } = await boss.browser.call<CreatedInvitation>("POST /invitations", {
    email: "new@example.com",
    credit: "12.50",
  });
  expect({ status, credit_micro: body.credit_micro }).toEqual({ status: 201, credit_micro: 12_500_000 });
  const { data: open } = await gateway.admin<InvitationList>("GET", "/invitations");
  expect(open.find(({ email }) => email === "new@example.com")?.credit_micro).toBe(12_500_000);
  const visitor = new ConsoleBrowser(gateway.url);
  const look = await visitor.call<LinkLook>("POST /session/link/look", { token: tokenOf(body.link) });
  expect(look.body).toMatchObject({ credit_micro: 12_500_000, currency: "USD" });

  const { user } = await visitor.signInByLink(body.link, { name: "New", password: PASSWORD });
  const account = user.account_id;
  expect((await gateway.admin<Account>("GET", `/accounts/${account}`)).balance_micro).toBe(12_500_000);
  for (let again = 0; again < 2; again += 1)
    await new ConsoleBrowser(gateway.url).signInByPassword("new@example.com", PASSWORD);
  const { data } = await gateway.admin<EntryList>("GET", `/accounts/${account}/credits`);
  const { id: boss_id } = boss.session.user;
  expect(data).toMatchObject([
    { kind: "credit", amount_micro: 12_500_000, actor: boss_id, note: "invitation of new@example.com" },
  ]);
  const log = await gateway.admin<AuditPage>("GET", `/audit-log?account=${account}&action=credit.add`);
  expect(log.data).toMatchObject([{ action: "credit.add", after: { invited_by: boss_id } }]);
});

test.each([
  ["0", 400, "'credit' is 0"],
  ["-5", 400, "credit"],
  ["1,000", 400, "credit"],
])("a credit of %s is refused", async (credit, status, said) => {
  const refused = await boss.browser.call("POST /invitations", { email: "odd@example.com", credit });
  expect(refused).toMatchObject({
    status,
    body: { error: { param: "credit", message: expect.stringContaining(said) } },
  });
});

test("owners, and management keys without credits:write, invite without credit alone", async () => {
  const owner = await invite(gateway, { email: "owner@example.com" });
  const account = owner.session.user.account_id;
  const asked = { email: "friend@example.com", account, credit: "5" };
  const refused = await owner.browser.call("POST /invitations", asked);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "not_permitted", param: "credit" } } });
  const withKey = async (scopes: readonly string[]) => {
    const { key } = await gateway.admin<CreatedManagementKey>("POST", "/management-keys", { name: "k", scopes });
    const response = await fetch(`${gateway.url}${CONSOLE_API}/invitations`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(asked),
    });
    await response.text();
    return response.status;
  };
  expect(await withKey(["members:write", "users:write"])).toBe(403);
  expect(await withKey(["members:write", "users:write", "credits:write"])).toBe(201);
  expect((await owner.browser.call("POST /invitations", { email: "pal@example.com", account })).status).toBe(201);
});

test("the command takes an amount as the other commands do", async () => {
  const camino = (...words: string[]) =>
    runCamino(["user", "invite", "cli@example.com", ...words], {
      cwd: gateway.data,
      env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data },
    });
  expect(JSON.parse((await camino("--credit", "7,5", "--json")).stdout)).toMatchObject({ credit_micro: 7_500_000 });
  const ambiguous = await camino("--credit", "1,000");
  expect(ambiguous.status).toBe(2);
  expect(ambiguous.stderr).toContain("may mean 1000 or 1.00");
});
