import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { KeyList } from "../../../contract/keys.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** A new member's first look: an empty wallet that says whom to ask, or the credit that came with the invitation. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  const config = "vendors: { sim: {} }\nconsole: { contact: billing@example.com }";
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway({ config })]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

test("an empty wallet is explained, and says whom to ask and for which account", async () => {
  const owner = await invite(gateway, { email: "owner@team.example" });
  const visitor = await browser.visit(gateway.url);
  const { account_id: account } = owner.session.user;
  await signIn(visitor, gateway, { role: "member", account });
  const { page } = visitor;
  await page.goto("/console/");
  await page.getByRole("heading", { name: "The wallet is empty" }).waitFor();
  await page.getByRole("link", { name: "owner@team.example" }).waitFor();
  expect(await page.getByRole("link", { name: "billing@example.com" }).getAttribute("href")).toBe(
    "mailto:billing@example.com",
  );
  await page.locator("main").getByText(account).waitFor();
  await checkBothThemes(page);
  await screenshot(page, "empty-wallet");

  await gateway.admin("POST", `/accounts/${account}/credits`, { amount: "3" });
  await page.getByRole("heading", { name: "The wallet is empty" }).waitFor({ state: "detached" });
});

test("an administrator invites somebody with credit, who sees it before and after accepting", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/admin/users?tab=invitations");
  await page.getByRole("button", { name: "Invite a user" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("rich@example.com");
  await dialog.getByLabel("Credit").fill("1,000");
  await dialog.getByText("1,000 may mean 1000 or 1.00: write one of them.").waitFor();
  expect(await dialog.getByRole("button", { name: "Create invitation" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Credit").fill("20");
  await dialog.getByText("$20.00").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "invite-with-credit");
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await dialog.getByText("The credit is booked once, when they accept.").waitFor();
  const link = await dialog.getByLabel("Link").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Invitations" }).getByText("$20.00").waitFor();

  const invited = await browser.visit(gateway.url);
  await invited.page.goto(link.trim());
  await invited.page.getByText("It brings $20.00 of credit.").waitFor();
  await invited.page.getByLabel("Password").fill("a long password");
  await invited.page.getByRole("button", { name: "Accept and sign in" }).click();
  await invited.page.locator("data").getByText("$20.00").first().waitFor();
  expect(await invited.page.getByText("The wallet is empty").count()).toBe(0);
});

test("an owner invites into a project, which the new member sees, finds chosen for a key, and the owner changes", async () => {
  const owner = await invite(gateway, { email: "owner@projects.example" });
  const { account_id: account } = owner.session.user;
  const north = `North ${"and north-north-west ".repeat(3)}`.trim();
  for (const name of [north, "South"]) await owner.browser.call("POST /projects", { account, name });
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account, account_role: "owner" });
  const { page } = visitor;
  await page.goto("/console/team");
  await page.getByRole("button", { name: "Invite a member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("new@projects.example");
  await dialog.getByLabel("Project").selectOption("South");
  // Whoever makes no keys has no project for them.
  await dialog.getByLabel("Role in the account").selectOption("viewer");
  await dialog.getByLabel("Project").waitFor({ state: "detached" });
  await dialog.getByLabel("Role in the account").selectOption("member");
  await dialog.getByLabel("Project").selectOption(north);
  await checkBothThemes(page);
  await screenshot(page, "invite-into-project");
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await dialog.getByText(`Their default project is ${north}`).waitFor();
  const link = await dialog.getByLabel("Link").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Open invitations" }).getByText(north).waitFor();

  const invited = await browser.visit(gateway.url);
  const { page: own } = invited;
  await own.goto(link.trim());
  await own.getByText(`Your default project is ${north}.`).waitFor();
  await own.getByLabel("Password").fill("a long password");
  await own.getByRole("button", { name: "Accept and sign in" }).click();
  await own.getByRole("heading", { name: "The wallet is empty" }).waitFor();
  await own.getByText(`Your default project is ${north}.`).waitFor();
  await own.goto("/console/keys/new");
  const chosen = own.getByRole("combobox", { name: "Project" });
  await chosen.waitFor();
  expect(await chosen.locator("option:checked").textContent()).toBe(north);
  await own.getByRole("button", { name: "Create key" }).click();
  await own.getByRole("dialog").waitFor();
  const { body } = await owner.browser.call<KeyList>(`GET /keys?account=${account}`);
  expect(body.data.map(({ project }) => project?.name)).toEqual([north]);

  await page.reload();
  const members = page.getByRole("table", { name: "Members" });
  await members.getByText(north).waitFor();
  await members.getByRole("button", { name: "Actions for new@projects.example" }).click();
  await page.getByRole("menuitem", { name: "Set default project" }).click();
  await dialog.getByLabel("Project").selectOption("South");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Set default project" }).click();
  await dialog.waitFor({ state: "detached" });
  await members.getByText("South").waitFor();
  await screenshot(page, "team-projects");
});

test("the sign-in page says whom to ask for a way in", async () => {
  const { page } = await browser.visit(gateway.url);
  await page.goto("/console/sign-in");
  await page.getByRole("link", { name: "billing@example.com" }).waitFor();
});
