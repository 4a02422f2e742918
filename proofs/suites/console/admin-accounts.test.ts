import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkBothThemes } from "../../support/accessibility.ts";
import { type AdminScene, ask, startAdminScene } from "../../support/admin-scene.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Administrators' changes to accounts and users, as both sides see them and as the audit log records them. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let scene: AdminScene;
let gateway: Gateway;

beforeAll(async () => {
  [browser, scene] = await Promise.all([launchBrowser(), startAdminScene()]);
  gateway = scene.gateway;
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await scene?.[Symbol.asyncDispose]();
});

/** An administrator at a page. */
async function administratorAt(path: string): Promise<Page> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  await visitor.page.goto(`/console${path}`);
  return visitor.page;
}

const stat = (page: Page, label: string) =>
  page.getByText(label, { exact: true }).locator("xpath=following-sibling::div[1]");

const openAccount = async (email: string, credit = "10") =>
  await gateway.admin<{ id: string }>("POST", "/accounts", { email, credit });

test("an account is made with a first credit, and its member signs in by the link and sees only it", async () => {
  await openAccount("other@example.com", "77");
  const page = await administratorAt("/admin/accounts");
  await page.getByRole("link", { name: "other@example.com" }).waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("team@example.com");
  await dialog.getByLabel("Name").fill("The team");
  await dialog.getByLabel("Opening credit").fill("twelve");
  await dialog.getByText("Write an amount such as 25 or 0.50").waitFor();
  await dialog.getByLabel("Opening credit").fill("1,000");
  await dialog.getByText("1,000 may mean 1000 or 1.00: write one of them.").waitFor();
  await dialog.getByLabel("Opening credit").fill("12.345678");
  await dialog.getByLabel("Invite this person").check();
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Create account" }).click();
  const link = await dialog.getByLabel("Link", { exact: true }).inputValue();
  expect(link).toStartWith(`${gateway.url}/console/sign-in#token=`);
  await dialog.getByRole("button", { name: "Copy link" }).click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(link);
  await dialog.getByRole("button", { name: "Open the account" }).click();
  await page.getByRole("heading", { name: "The team", level: 1 }).waitFor();
  expect(await stat(page, "Balance").textContent()).toBe("$12.345678");
  await stat(page, "Balance").locator("data").focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await page.getByRole("tooltip", { name: "12.345678 USD · 12,345,678 micro" }).waitFor();

  const member = await browser.visit(gateway.url);
  await member.page.goto(link);
  await member.page.getByLabel("Password").first().fill("a-long-enough-password");
  await member.page.keyboard.press("Enter");
  await member.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(await stat(member.page, "Balance").textContent()).toBe("$12.345678");
  expect(await member.page.getByRole("navigation", { name: "Main" }).textContent()).not.toContain("Accounts");
  const { data } = await gateway.admin<{ data: { id: string; email: string }[] }>("GET", "/accounts");
  const foreign = data.find(({ email }) => email === "other@example.com")?.id ?? "";
  await member.page.goto(`/console/?account=${foreign}`);
  await member.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(await stat(member.page, "Balance").textContent()).toBe("$12.345678");
  for (const refused of ["accounts", `accounts/${foreign}`, "users", "audit-log", "health"]) {
    const response = await member.context.request.get(`${gateway.url}/console/api/${refused}`);
    expect([refused, response.status()]).toEqual([refused, 404]);
  }
  const again = await browser.visit(gateway.url);
  await again.page.goto(link);
  await again.page.getByText("This link does not work").waitFor();
});

test("an account is renamed, and an e-mail that another has is refused at its field", async () => {
  const { id } = await openAccount("admin-of-old@example.com");
  await openAccount("taken@example.com");
  const page = await administratorAt(`/admin/accounts/${id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Rename account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Globex");
  await dialog.getByLabel("E-mail").fill("taken@example.com");
  await dialog.getByRole("button", { name: "Rename account" }).click();
  await dialog.getByText("There is an account with the e-mail taken@example.com already.").waitFor();
  await dialog.getByLabel("E-mail").fill("boss@globex.example");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Rename account" }).click();
  await page.getByRole("heading", { name: "Globex", level: 1 }).waitFor();
  await page.getByText("boss@globex.example").first().waitFor();
});

test("a credit is confirmed with the new balance, and both the administrator and the member see it at once", async () => {
  const { id } = await openAccount("credited@example.com", "1.5");
  const member = await browser.visit(gateway.url);
  await signIn(member, gateway, { role: "member", account: id });
  await member.page.goto("/console/");
  await stat(member.page, "Balance").getByText("$1.50").waitFor();

  const page = await administratorAt(`/admin/accounts/${id}`);
  await page.getByRole("button", { name: "Add credit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount in USD").fill("1,000");
  await dialog.getByText("1,000 may mean 1000 or 1.00: write one of them.").waitFor();
  await dialog.getByLabel("Amount in USD").fill("20,000001");
  await dialog.getByText("$20.000001").waitFor();
  await dialog.getByLabel("Note").fill("Invoice 7");
  await page.keyboard.press("Enter");
  await dialog.getByText("Note: “Invoice 7”.").waitFor();
  await dialog.getByText("$21.500001").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "admin-credit");
  await dialog.getByRole("button", { name: "Add $20.000001" }).click();
  await stat(page, "Balance").getByText("$21.500001").waitFor();
  await page.getByRole("table", { name: "Ledger entries" }).getByText("Invoice 7").waitFor();
  await stat(member.page, "Balance").getByText("$21.500001").waitFor();

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Correct the balance" }).click();
  await dialog.getByLabel("Amount in USD").fill("-30");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("The balance would be below zero.").waitFor();
  await dialog.getByLabel("Amount in USD").fill("-1.500001");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Take away $1.500001" }).click();
  await stat(page, "Balance").getByText("$20.00").waitFor();
  const account = await gateway.admin<{ balance_micro: number }>("GET", `/accounts/${id}`);
  expect(account.balance_micro).toBe(20_000_000);

  await page.goto(`/console/admin/audit?object=${id}&action=credit`);
  const log = page.getByRole("list", { name: "Changes, newest first" });
  await log.getByText("changed the balance of").first().waitFor();
  const [correction = "", credit = ""] = await log.getByRole("listitem").allTextContents();
  expect(correction).toMatch(/^ana-\d+@example\.com.*balance\$21\.50\$20\.00kindcorrectionamount-\$1\.50/);
  expect(credit).toMatch(/^ana-\d+@example\.com.*balance\$1\.50\$21\.50kindcreditamount\$20\.00noteInvoice 7/);
});

test("a disabled account's key is refused with 401 until it is enabled again, and the log names the actor", async () => {
  const key = await gateway.newKey();
  expect(await ask(gateway, key, "acme/quick")).toBe(200);
  const page = await administratorAt(`/admin/accounts/${key.account}`);
  await page.getByRole("table", { name: "Latest requests" }).getByText("acme/quick").waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Disable account" }).click();
  await page.getByText("New requests with its keys are refused").waitFor();
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Disable account" }).click();
  await page.getByText("This account is disabled").waitFor();
  expect(await ask(gateway, key, "acme/quick")).toBe(401);
  await page.getByRole("button", { name: "Enable account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Enable account" }).click();
  await page.getByText("This account is disabled").waitFor({ state: "hidden" });
  expect(await ask(gateway, key, "acme/quick")).toBe(200);

  await page.getByRole("link", { name: "Changes" }).click();
  const log = page.getByRole("list", { name: "Changes, newest first" });
  await log.getByText("enabled the account").waitFor();
  const [newest = "", before = ""] = await log.getByRole("listitem").allTextContents();
  expect(newest).toMatch(/ana-\d+@example\.com enabled the account .*account\.enable.*statusdisabledactive/);
  expect(before).toMatch(/ana-\d+@example\.com disabled the account .*account\.disable.*statusactivedisabled/);
  await checkBothThemes(page);
});

test("an account's page leads to every member view of that account", async () => {
  const key = await gateway.newKey({ name: "Their key" });
  await ask(gateway, key, "acme/quick");
  const page = await administratorAt(`/admin/accounts/${key.account}`);
  await page.getByRole("region", { name: "See as this account" }).getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get("account")).toBe(key.account);
  await page.getByText("Their key").first().waitFor();
  await page.goBack();
  await page.getByRole("table", { name: "Keys" }).getByRole("link", { name: "Their key" }).click();
  await page.getByRole("heading", { name: "Their key", level: 1 }).waitFor();
});

test("users are promoted, reset and disabled; invitations are made, shown once, and withdrawn", async () => {
  const { id } = await openAccount("users@example.com");
  const member = await browser.visit(gateway.url);
  const bo = await signIn(member, gateway, { role: "member", account: id, name: "Bo Chen" });
  const page = await administratorAt(`/admin/users?q=${bo.email}`);
  const actions = page.getByRole("button", { name: `Actions for ${bo.email}` });
  const table = page.getByRole("table", { name: "Users" });

  await actions.click();
  await page.getByRole("menuitem", { name: "Make an administrator" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make an administrator" }).click();
  await table.getByText("administrator", { exact: true }).waitFor();
  expect((await member.context.request.get(`${gateway.url}/console/api/accounts`)).status()).toBe(200);
  await actions.click();
  await page.getByRole("menuitem", { name: "Make a member" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make a member" }).click();
  await table.getByText("member", { exact: true }).waitFor();

  await actions.click();
  await page.getByRole("menuitem", { name: "Create password-reset link" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  expect(link).toContain("#token=");
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Done" }).click();

  await actions.click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable user" }).click();
  await table.getByText("disabled").waitFor();
  expect((await member.context.request.get(`${gateway.url}/console/api/session`)).status()).toBe(401);

  await page.goto("/console/admin/users?tab=invitations");
  await page.getByText("No open invitations").waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("ada@example.com");
  await dialog.getByLabel("Role").selectOption("administrator");
  await dialog.getByRole("combobox", { name: "Account" }).fill("users@");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await dialog.getByText("It is shown this once").waitFor();
  await screenshot(page, "admin-invitation");
  const invitation = await dialog.getByLabel("Link", { exact: true }).inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: /ada@example\.com/ });
  expect(await row.textContent()).toContain("users@example.com");
  expect(await page.content()).not.toContain(invitation.split("#token=")[1] ?? "no token");
  await row.getByRole("button", { name: "Withdraw" }).click();
  await page.getByRole("button", { name: "Withdraw invitation" }).click();
  await page.getByText("No open invitations").waitFor();
  await page.goto("/console/admin/audit?action=invitation");
  const log = page.getByRole("list", { name: "Changes, newest first" });
  await log.getByText("withdrew the invitation of").waitFor();
  expect(await log.getByRole("listitem").nth(1).textContent()).toContain("invited ada@example.com");
  const withdrawn = await browser.visit(gateway.url);
  await withdrawn.page.goto(invitation);
  await withdrawn.page.getByText("This link does not work").waitFor();
});

test("the log is filtered by person, action, object and days, all in the address, and has older pages", async () => {
  await using long = await startGateway();
  for (let made = 0; made < 30; made += 1)
    await long.admin("POST", "/accounts", { email: `n${made}@example.com`, credit: "1" });
  const visitor = await browser.visit(long.url);
  const { page } = visitor;
  await signIn(visitor, long);
  await page.goto("/console/admin/audit");
  const entries = page.getByRole("list", { name: "Changes, newest first" }).locator(":scope > li");
  await page.getByText("50 entries so far").waitFor();
  await page.getByRole("button", { name: "Load older" }).click();
  await page.getByText(/^6\d entries$/).waitFor();

  await page.getByRole("combobox", { name: "What" }).fill("created the account");
  await page.keyboard.press("Enter");
  await page.getByText(/^3\d entries$/).waitFor();
  expect(new URL(page.url()).searchParams.get("action")).toBe("account.create");
  await page.getByRole("combobox", { name: "By" }).fill("ana");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing matches").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText(/^6\d entries$/).waitFor();

  const { data } = await long.admin<{ data: { id: string }[] }>("GET", "/accounts");
  await page.getByPlaceholder("Id of what was changed").fill(data.at(5)?.id ?? "");
  await page.getByText(/^2 entries$/).waitFor();
  expect(await entries.first().textContent()).toContain("balance$0.00$1.00");
  await page.getByLabel("Until").fill("2020-01-01");
  await page.getByText("Nothing matches").waitFor();
  await page.reload();
  await page.getByText("Nothing matches").waitFor();
  await visitor.context.close();
});

test("limits over all keys of an account: its members see them, and a key's ceilings", async () => {
  const key = await gateway.newKey({ rpm: 30 });
  const page = await administratorAt(`/admin/accounts/${key.account}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Set limits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Budget").fill("25");
  await dialog.getByLabel("Requests per minute").fill("1");
  await checkBothThemes(page);
  await screenshot(page, "account-limits");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("Limits of the account").waitFor();
  await page.getByText("1 request a minute").waitFor();
  expect([await ask(gateway, key, "acme/quick"), await ask(gateway, key, "acme/quick")]).toEqual([200, 429]);

  const member = await browser.visit(gateway.url);
  await signIn(member, gateway, { role: "member", account: key.account });
  await member.page.goto(`/console/keys/${key.id}`);
  await member.page.getByRole("tab", { name: "Limits" }).click();
  await member.page.getByText("Members: at most 30; an administrator has set this for the key.").waitFor();
  await member.page.getByText("Limits of the account").waitFor();
  await screenshot(member.page, "member-key-ceilings");
  await checkBothThemes(member.page);
  await member.page.getByLabel("Requests per minute").fill("31");
  await member.page.getByRole("button", { name: "Save limits" }).click();
  await member.page.getByText("'rpm' is more than 30").waitFor();
  await member.page.getByLabel("Requests per minute").fill("29");
  await member.page.getByRole("button", { name: "Save limits" }).click();
  await member.page.getByText("Limits saved").waitFor();
});
