import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import type { MemberList } from "../../../contract/members.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite, PASSWORD } from "../../support/people.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Accounts with several members, and users with several accounts, in a real browser. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let gateway: Gateway;
let account: string;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
  const made = await gateway.admin<{ id: string }>("POST", "/accounts", {
    email: "studio@example.com",
    name: "Example Studio",
    credit: "250",
  });
  account = made.id;
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** A new user with a role in the studio's account, at a page. */
async function memberAt(path: string, account_role: string, options: { device?: "phone" } = {}): Promise<Page> {
  const visitor = await browser.visit(gateway.url, { ...options, expected: [/403|404|409/] });
  await signIn(visitor, gateway, { role: "member", account, account_role, name: NAMES[account_role] ?? account_role });
  await visitor.page.goto(`/console${path}`);
  return visitor.page;
}

const NAMES: Readonly<Record<string, string>> = { owner: "Cleo Ito", viewer: "Vera Lind", billing: "Ben Okafor" };
const navigation = (page: Page) => page.getByRole("navigation", { name: "Main" });

describe("a member sees what the role opens", () => {
  const CASES = [
    [
      "owner",
      ["Overview", "Keys", "Aliases", "Usage", "Requests", "Credits", "Alerts", "Team", "Models", "Playground"],
    ],
    ["viewer", ["Overview", "Keys", "Aliases", "Usage", "Requests", "Team", "Models"]],
    ["billing", ["Overview", "Keys", "Aliases", "Usage", "Requests", "Credits", "Alerts", "Models"]],
  ] as const;
  test.each(CASES)("%s", async (role, pages) => {
    const page = await memberAt("/keys", role);
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    expect(await navigation(page).getByRole("link").allTextContents()).toEqual([...pages]);
    await page.getByText("No keys yet").waitFor();
    expect(await page.getByRole("link", { name: "Create the first key" }).count()).toBe(role === "owner" ? 1 : 0);
    if (role === "owner") return;
    await page.goto("/console/keys/new");
    await page.getByText("Your role cannot create keys here").waitFor();
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  });
});

test("an owner invites somebody, changes their role and removes them", async () => {
  const page = await memberAt("/team", "owner");
  await page.getByRole("heading", { name: "Team", level: 1 }).waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("dora@example.com");
  await dialog.getByLabel("Role in the account").selectOption("billing");
  await dialog.getByText("This role sees usage").waitFor();
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  const link = await dialog.getByLabel("Link", { exact: true }).inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Open invitations" }).getByText("dora@example.com").waitFor();

  const dora = await browser.visit(gateway.url, { expected: [/403/] });
  await dora.page.goto(link);
  await dora.page.getByText("You are invited to Example Studio as a billing contact.").waitFor();
  await dora.page.getByLabel("Your name").fill("Dora Diaz");
  await dora.page.getByLabel("Password").fill(PASSWORD);
  await dora.page.getByRole("button", { name: "Accept and sign in" }).click();
  await dora.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();

  await page.reload();
  const members = page.getByRole("table", { name: "Members" });
  await members.getByText("Dora Diaz").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "team");
  await page.getByRole("button", { name: "Actions for Dora Diaz" }).click();
  await page.getByRole("menuitem", { name: "Change the role" }).click();
  await dialog.getByLabel("Role in the account").selectOption("viewer");
  await dialog.getByRole("button", { name: "Change the role" }).click();
  await page.getByText("Dora Diaz is viewer now").waitFor();

  await page.getByRole("button", { name: "Actions for Dora Diaz" }).click();
  await page.getByRole("menuitem", { name: "Remove from the account" }).click();
  await dialog.getByText("roll those whose secrets they know").waitFor();
  await dialog.getByRole("button", { name: "Remove from the account" }).click();
  await members.getByText("Dora Diaz").waitFor({ state: "detached" });
  // The page may have noticed by itself already, and has no navigation then.
  await dora.page.goto(`${gateway.url}/console/usage`);
  await dora.page.getByText("You are not a member of any account").waitFor();
});

test("somebody with a user joins by signing in, and switches between their accounts", async () => {
  const guest = await invite(gateway, { email: "guest@own.example" });
  const asked = { email: guest.email, account, account_role: "viewer" };
  const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", asked);
  const { page } = await browser.visit(gateway.url);
  await page.goto(link);
  await page.getByRole("heading", { name: "Join Example Studio" }).waitFor();
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Sign in and join" }).click();
  await page.getByLabel("E-mail").fill(guest.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("You are invited as a viewer").waitFor();
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Join the account" }).click();
  await page.getByText("You belong to Example Studio now").waitFor();
  const balance = page.getByText("Balance", { exact: true }).locator("xpath=following-sibling::div[1]");
  await page.waitForURL(`**account=${account}`);
  await balance.getByText("$250.00").waitFor();
  await page.getByRole("button", { name: "Account (viewer)" }).click();
  await page.getByRole("option", { name: /guest@own.example/ }).click();
  await balance.getByText("$0.00").waitFor();
  await page.getByRole("button", { name: "Account (owner)" }).waitFor();
  await page.reload();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("the last owner stays, with a reason; another member leaves and sees their other account", async () => {
  const fresh = await invite(gateway, { email: "solo@own.example" });
  const visitor = await browser.visit(gateway.url, { expected: [/409/] });
  const { page } = visitor;
  await gateway.admin("POST", `/accounts/${account}/members`, { email: fresh.email, role: "member" });
  await page.goto("/console/team");
  await page.getByLabel("E-mail").fill(fresh.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  const leave = async () => {
    await page.getByRole("button", { name: "Leave the account" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave the account" }).click();
  };
  await page.getByRole("heading", { name: "Team", level: 1 }).waitFor();
  await leave();
  await page.getByText("solo@own.example is the last owner of this account").waitFor();
  await page.keyboard.press("Escape");
  await page.goto(`/console/team?account=${account}`);
  await leave();
  await page.getByText("You left Example Studio").waitFor();
  const { data } = await gateway.admin<MemberList>("GET", `/accounts/${account}/members`);
  expect(data.map(({ email }) => email)).not.toContain(fresh.email);
});

test("an administrator adds a user to a further account at once", async () => {
  const fresh = await invite(gateway, { email: "added@own.example" });
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  const { page } = visitor;
  await page.goto(`/console/admin/accounts/${account}`);
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(fresh.email);
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await page.getByText("added@own.example is member of the account now").waitFor();
  await page.goto("/console/admin/users?q=added");
  const cell = page.getByRole("row", { name: /added@own.example/ });
  await cell.getByText("studio@example.com").waitFor();
});

test("a key is rolled: the new secret is shown once, Escape does not lose it, and both work meanwhile", async () => {
  const made = await gateway.admin<{ id: string; key: string }>("POST", "/keys", { account, name: "Production" });
  const page = await memberAt(`/keys/${made.id}`, "member");
  await page.getByRole("button", { name: "Actions for Production" }).click();
  await page.getByRole("menuitem", { name: "Roll the secret" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("How long is the old secret still valid?").selectOption("One hour");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Create new secret" }).click();
  await page.getByRole("dialog", { name: "The new secret" }).waitFor();
  await page.keyboard.press("Escape");
  const secret = (await dialog.locator("[data-secret]").textContent()) ?? "";
  const statuses = await Promise.all(
    [made.key, secret].map(async (key) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${gateway.url}/v1/models`, { headers })).status;
    }),
  );
  expect(statuses).toEqual([200, 200]);
  expect(secret).not.toBe(made.key);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText("This key was rolled. Programs may use its old secret").waitFor();
});

test("a management key is made with its scopes, shown once, and revoked", async () => {
  const page = await memberAt("/team", "owner");
  await page.getByRole("button", { name: "New management key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Nightly report");
  expect(await dialog.getByLabel("credits:write").count()).toBe(0);
  await dialog.getByRole("checkbox", { name: "usage:read", exact: true }).check();
  await dialog.getByRole("checkbox", { name: "keys:read", exact: true }).check();
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = (await dialog.locator("[data-secret]").textContent()) ?? "";
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  const ask = async (path: string) =>
    (await fetch(`${gateway.url}/console/api${path}`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await ask("/keys"), await ask("/credits/auto-top-up")]).toEqual([200, 403]);
  const table = page.getByRole("table", { name: "Management keys" });
  await table.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await table.getByText("revoked").waitFor();
  expect(await ask("/keys")).toBe(401);
});
