import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CreatedKey, Key } from "../../../contract/keys.ts";
import type { Project, ProjectList } from "../../../contract/projects.ts";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import type { TestBrowser } from "../../support/browser.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Projects in the console: made, given keys, found in usage and requests, changed and deleted. */

setDefaultTimeout(60_000);

let scene: ConsoleScene;
let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ browser, gateway } = scene);
});
afterAll(() => scene?.[Symbol.asyncDispose]());

async function newAccount(email: string): Promise<string> {
  return (await gateway.admin<{ id: string }>("POST", "/accounts", { email, credit: "25" })).id;
}

async function ownerAt(account: string, path: string) {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account });
  await visitor.page.goto(`/console${path}`);
  return visitor;
}

/** The status of a call with the key. */
async function ask(key: string): Promise<number> {
  const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content: "Hello!" }] }),
  });
  return status;
}

test("an owner makes a project with a budget, puts a key into it, and sees what it used apart", async () => {
  const account = await newAccount("projects@example.com");
  const { page } = await ownerAt(account, "/keys?view=projects");
  await page.getByRole("button", { name: "Create a project" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a project" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Search team");
  await dialog.getByRole("textbox", { name: "Budget" }).fill("10");
  await dialog.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("row", { name: /Search team/ }).waitFor();
  await checkAccessibility(page);

  await page.goto("/console/keys/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Indexer");
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Search team" });
  await page.getByRole("button", { name: "Create key" }).click();
  const created = page.getByRole("dialog", { name: "Your new key" });
  const secret = (await created.locator("[data-secret]").textContent()) ?? "";
  expect(await ask(secret)).toBe(200);

  await page.goto("/console/usage?by=project");
  await page.getByRole("rowheader", { name: "Search team" }).waitFor();
  await page.goto("/console/requests");
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Without a project" });
  await page.getByText("No request matches").waitFor();
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Search team" });
  await page
    .getByRole("table", { name: "Requests" })
    .getByRole("row", { name: /Indexer/ })
    .waitFor();
});

test("an owner moves a key, renames a project, and deletes it once it has no keys", async () => {
  const account = await newAccount("moving@example.com");
  const project = await gateway.admin<Project>("POST", "/projects", { account, name: "Old team", rpm: 30 });
  const key = await gateway.admin<Key>("POST", "/keys", { account, name: "Indexer", project: project.id });
  const { page } = await ownerAt(account, `/keys/${key.id}`);
  await page.getByText("Old team").waitFor();
  const move = async (label: string) => {
    await page.getByRole("button", { name: "Actions for Indexer" }).click();
    await page.getByRole("menuitem", { name: "Move to a project" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Project" }).selectOption({ label });
    await dialog.getByRole("button", { name: "Move key" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const act = async (item: string) => {
    await page.getByRole("button", { name: /Actions for (Old|New) team/ }).click();
    await page.getByRole("menuitem", { name: item }).click();
    return page.getByRole("dialog");
  };
  await page.goto("/console/keys?view=projects");
  const refused = await act("Delete");
  await refused.getByRole("button", { name: "Delete project" }).click();
  await refused.getByText("has a key: move them").waitFor();
  await page.keyboard.press("Escape");
  const edit = await act("Name and limits");
  await edit.getByRole("textbox", { name: "Name" }).fill("New team");
  await edit.getByRole("button", { name: "Save project" }).click();
  await page.getByRole("row", { name: /New team/ }).waitFor();

  await page.goto(`/console/keys/${key.id}`);
  await move("No project");
  await page.goto("/console/keys?view=projects");
  const remove = await act("Delete");
  await remove.getByRole("button", { name: "Delete project" }).click();
  await page.getByText("No projects yet").waitFor();
  expect((await gateway.admin<ProjectList>("GET", `/projects?account=${account}`)).data).toEqual([]);
});

test("an owner raises a project's used-up budget for a while, and ends the raise early", async () => {
  const account = await newAccount("raising@example.com");
  const budget = { amount: "0.000001", window: "once" };
  const project = await gateway.admin<Project>("POST", "/projects", { account, name: "Search team", budget });
  const { key } = await gateway.admin<CreatedKey>("POST", "/keys", { account, name: "Indexer", project: project.id });
  expect(await ask(key)).toBe(402);
  const { page } = await ownerAt(account, "/keys?view=projects");
  const row = page.getByRole("row", { name: /Search team/ });
  const dialog = page.getByRole("dialog", { name: "Raise the budget of Search team" });
  const open = async () => {
    await page.getByRole("button", { name: "Actions for Search team" }).click();
    await page.getByRole("menuitem", { name: "Raise the budget" }).click();
    await dialog.waitFor();
  };
  const amount = dialog.getByRole("textbox", { name: "Raise by" });
  const raise = dialog.getByRole("button", { name: "Raise budget" });

  await open();
  await checkBothThemes(page);
  expect(await dialog.getByRole("button", { name: "End the raise now" }).count()).toBe(0);
  await amount.fill("1,000");
  await dialog.getByText("1,000 may mean 1000 or").waitFor();
  await amount.fill("0");
  await raise.click();
  await dialog.getByRole("alert").getByText("allowed: an amount above 0").waitFor();
  expect(await ask(key)).toBe(402);
  await amount.fill("1.50");
  await dialog.getByText("$1.50").waitFor();
  await dialog.getByRole("combobox", { name: "How long" }).selectOption({ label: "For a week" });
  await raise.click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText("raised until").waitFor();
  await row.getByText("$1.50").waitFor();
  expect(await ask(key)).toBe(200);
  const { use } = await gateway.admin<Project>("GET", `/projects/${project.id}`);
  const week_ms = Date.parse(use?.raise?.until ?? "") - Date.now();
  expect(use?.raise?.amount_micro).toBe(1_500_000);
  expect(week_ms / 86_400_000).toBeWithin(6.9, 7.1);

  await open();
  await dialog.getByText("It is raised by $1.50 until").waitFor();
  await dialog.getByRole("button", { name: "End the raise now" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText("raised until").waitFor({ state: "detached" });
  expect(await ask(key)).toBe(402);
});

test("a key's budget is raised on its page: by its owner to what an administrator has set, and by no viewer", async () => {
  const account = await newAccount("raising-keys@example.com");
  const budget = { amount: "5", window: "month" };
  const { id } = await gateway.admin<Key>("POST", "/keys", { account, name: "Indexer", budget });
  const { page } = await ownerAt(account, `/keys/${id}`);
  await page.getByRole("button", { name: "Raise for a while" }).click();
  const dialog = page.getByRole("dialog", { name: "Raise the budget of Indexer" });
  await dialog.getByRole("textbox", { name: "Raise by" }).fill("1");
  await dialog.getByRole("button", { name: "Raise budget" }).click();
  await dialog.getByRole("alert").getByText("an administrator has set 5.00 as the most for the key").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await page.getByText("raised until").count()).toBe(0);

  const administrator = await browser.visit(gateway.url);
  await signIn(administrator, gateway);
  await administrator.page.goto(`/console/keys/${id}`);
  await administrator.page.getByRole("button", { name: "Raise for a while" }).click();
  const theirs = administrator.page.getByRole("dialog", { name: "Raise the budget of Indexer" });
  await theirs.getByRole("textbox", { name: "Raise by" }).fill("1");
  await theirs.getByRole("button", { name: "Raise budget" }).click();
  await administrator.page.getByText("raised until").waitFor();
  await administrator.page.getByText("$6.00").first().waitFor();

  const viewer = await browser.visit(gateway.url);
  await signIn(viewer, gateway, { role: "member", account, account_role: "viewer" });
  await viewer.page.goto(`/console/keys/${id}`);
  await viewer.page.getByText("raised until").waitFor();
  expect(await viewer.page.getByRole("button", { name: "Raise for a while" }).count()).toBe(0);
});

test("an administrator raises an account's budget on the account's page, and sees the raise there", async () => {
  const email = "raising-all@example.com";
  const account = await newAccount(email);
  await gateway.admin("PATCH", `/accounts/${account}`, { budget: { amount: "0.000001", window: "once" } });
  const { key } = await gateway.admin<CreatedKey>("POST", "/keys", { account, name: "Indexer" });
  expect(await ask(key)).toBe(402);
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  await visitor.page.goto(`/console/admin/accounts/${account}`);
  await visitor.page.getByRole("button", { name: "Raise for a while" }).click();
  const dialog = visitor.page.getByRole("dialog", { name: `Raise the budget of ${email}` });
  await dialog.getByRole("textbox", { name: "Raise by" }).fill("2");
  await dialog.getByRole("button", { name: "Raise budget" }).click();
  await visitor.page.getByText("raised until").waitFor();
  expect(await ask(key)).toBe(200);
});

test("a project's limits by model stand with what they have used, its stored answers are set, and its renewal is exact on focus", async () => {
  const account = await newAccount("by-model@example.com");
  await gateway.admin("PATCH", `/accounts/${account}`, { time_zone: "Europe/Berlin" });
  const budget = { amount: "50", window: "month" };
  const model_limits = [{ models: "openai/*", rpm: 60, budget: { amount: "0.5", window: "day" } }];
  const fields = { account, name: "Search team", budget, model_limits };
  const project = await gateway.admin<Project>("POST", "/projects", fields);
  const { key } = await gateway.admin<CreatedKey>("POST", "/keys", { account, name: "Indexer", project: project.id });
  expect(await ask(key)).toBe(200);
  const { page } = await ownerAt(account, "/keys?view=projects");
  const row = page.getByRole("row", { name: /Search team/ });
  await row.getByText("1 by model").waitFor();
  await row.getByText(/^renews [A-Z][a-z]{2} 1$/).waitFor();
  await row.locator("time[tabindex]").focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await page
    .getByRole("tooltip")
    .getByText(/^\d{4}-\d\d-01 00:00 \+0[12]:00, Europe\/Berlin$/)
    .waitFor();

  await page.getByRole("button", { name: "Actions for Search team" }).click();
  await page.getByRole("menuitem", { name: "Name and limits" }).click();
  const dialog = page.getByRole("dialog", { name: "Change Search team" });
  await dialog.getByText("openai/*:rpm=60,budget=0.50/day", { exact: true }).last().waitFor();
  await dialog.getByText(/^renews \d{4}-\d\d-\d\d 00:00 \+0[12]:00, Europe\/Berlin$/).waitFor();
  await dialog.getByRole("textbox", { name: "Stored answers" }).fill("soon");
  await dialog.getByRole("button", { name: "Save project" }).click();
  await dialog.getByText("allowed: a time such as 90s, 10m, 12h or 7d").waitFor();
  await dialog.getByRole("textbox", { name: "Stored answers" }).fill("90m");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Save project" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await gateway.admin<Project>("GET", `/projects/${project.id}`)).toMatchObject({ cache: "90m" });
});

test("an administrator moves an account's days to its time zone, and a zone that there is not is refused at its field", async () => {
  const account = await newAccount("zone@example.com");
  await gateway.admin("PATCH", `/accounts/${account}`, { budget: { amount: "5", window: "day" } });
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto(`/console/admin/accounts/${account}`);
  await page.getByRole("button", { name: /^More|^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Set limits" }).click();
  const dialog = page.getByRole("dialog", { name: "Limits of zone@example.com" });
  const zone = dialog.getByRole("combobox", { name: "Time zone" });
  await zone.fill("Europe/Atlantis");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await dialog.getByText("Europe/Atlantis", { exact: false }).last().waitFor();
  await zone.fill("Asia/Kathmandu");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await dialog.waitFor({ state: "detached" });
  await page
    .getByText(/^renews .* 00:00 \+05:45, Asia\/Kathmandu$/)
    .first()
    .waitFor();
});

test("a member sees the projects and changes none", async () => {
  const account = await newAccount("looking@example.com");
  await gateway.admin("POST", "/projects", { account, name: "Seen" });
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account, account_role: "viewer" });
  await visitor.page.goto("/console/keys?view=projects");
  await visitor.page.getByRole("row", { name: /Seen/ }).waitFor();
  expect(await visitor.page.getByRole("button", { name: /Actions for|Create a project/ }).count()).toBe(0);
});

test("many projects with long names fit a desktop and a phone, in both themes", async () => {
  const account = await newAccount("many@example.com");
  const names = ["Search", "A project whose name is as long as anybody would ever write it down, and then some", "CI"];
  for (const [at, name] of names.entries()) {
    const budget = { amount: String(10 ** at), window: "month" };
    await gateway.admin("POST", "/projects", { account, name, budget, rpm: 60 * (at + 1), models: ["sim/*"] });
  }
  for (const device of ["desktop", "phone"] as const) {
    const visitor = await browser.visit(gateway.url, { device });
    await signIn(visitor, gateway, { role: "member", account });
    await visitor.page.goto("/console/keys?view=projects");
    await visitor.page.getByText("CI", { exact: true }).waitFor();
    await checkBothThemes(visitor.page);
    if (device === "desktop") await screenshot(visitor.page, "projects");
  }
});
