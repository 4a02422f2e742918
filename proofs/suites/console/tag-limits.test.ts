import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Project } from "../../../contract/projects.ts";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Limits by tag in the console (docs/rulings.md 176): set, looked at by their values, and raised for one of them; and the gateway's by model (177). */

setDefaultTimeout(60_000);

let scene: ConsoleScene;

beforeAll(async () => {
  scene = await startConsoleScene();
});
afterAll(() => scene?.[Symbol.asyncDispose]());

const RULE = "account tag customer";
const MANY = 100_000;

/** Values that have spent something today, by rows of the database: to ask for each of them would take too long. */
function fill(account: string): void {
  using database = new Database(join(scene.gateway.data, "camino.db"), { readwrite: true });
  database.run("PRAGMA busy_timeout = 10000");
  const today = Math.floor(Date.now() / 86_400_000);
  const insert = database.prepare(
    `INSERT INTO limit_counts (account_id, rule, value, open_count, held_micro, budget_micro, spent_window, spent_start_day, spent_micro, used_ms)
      VALUES (?, ?, ?, 0, 0, 5000000, 'day', ?, ?, ?)`,
  );
  database.transaction(() => {
    for (let at = 0; at < MANY; at += 1)
      insert.run(
        account,
        RULE,
        `customer-${String(at).padStart(6, "0")}`,
        today,
        Math.floor(4_900_000 / (1 + at / 9)),
        Date.now(),
      );
  })();
}

test("an administrator limits each customer of an account, and gives one of a hundred thousand a larger budget", async () => {
  const { browser, gateway } = scene;
  const { id: account } = await gateway.admin<{ id: string }>("POST", "/accounts", {
    email: "shop@example.com",
    credit: "25",
  });
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "administrator", account });
  const { page } = visitor;
  await page.goto(`/console/admin/accounts/${account}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Set limits" }).click();
  const limits = page.getByRole("dialog", { name: /^Limits of/ });
  await limits.getByRole("textbox", { name: "Limits by tag" }).fill("customer=5/day,rpm=0");
  await limits.getByRole("button", { name: "Save limits" }).click();
  await limits.getByText(/tag_limits/).waitFor();
  await limits.getByRole("textbox", { name: "Limits by tag" }).fill("customer=5/day,rpm=60");
  await limits.getByRole("textbox", { name: "End user's tag" }).fill("customer");
  await limits.getByRole("button", { name: "Save limits" }).click();
  await limits.waitFor({ state: "hidden" });

  fill(account);
  await page.reload();
  await page.getByText("100,000 values").waitFor();
  await page.getByRole("link", { name: "customer=5.00/day,rpm=60" }).click();
  await page.getByRole("heading", { name: "customer", exact: true }).waitFor();
  await page.getByText("100,000 values").waitFor();
  const rows = page.getByRole("table").getByRole("row");
  expect(await rows.nth(1).textContent()).toContain("customer-000000");
  await checkBothThemes(page);
  await screenshot(page, "tag");
  await page.getByRole("button", { name: "Load more" }).click();
  await page.getByText("100 values so far").waitFor();

  await page.getByRole("searchbox", { name: "Values that begin with" }).fill("customer-09999");
  await page.getByText("10 values", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Raise customer-099999" }).click();
  const raise = page.getByRole("dialog", { name: "Limits of customer-099999" });
  await raise.getByRole("textbox", { name: "Budget" }).fill("500");
  await checkAccessibility(page);
  await raise.getByRole("button", { name: "Save limits" }).click();
  await page.getByRole("row", { name: /customer-099999.*\$500\.00 a day/ }).waitFor();
  await page.getByRole("button", { name: "Limit a value" }).click();
  const added = page.getByRole("dialog", { name: "Limit a value of customer" });
  await added.getByRole("textbox", { name: "Value" }).fill("customer-099999-new");
  await added.getByRole("spinbutton", { name: "Requests per minute" }).fill("7");
  await added.getByRole("button", { name: "Save limits" }).click();
  await page.getByRole("row", { name: /customer-099999-new.*7 requests per minute/ }).waitFor();
});

test("an owner limits the customers of a project and raises one; who may not sees them all the same", async () => {
  const { gateway, browser } = scene;
  const { page, account } = await scene.member();
  const project = await gateway.admin<Project>("POST", "/projects", { account, name: "Shop" });
  await page.goto("/console/keys?view=projects");
  await page.getByRole("button", { name: "Actions for Shop" }).click();
  await page.getByRole("menuitem", { name: "Name and limits" }).click();
  const dialog = page.getByRole("dialog", { name: "Change Shop" });
  await dialog.getByRole("textbox", { name: "Limits by tag" }).fill("customer=5/month");
  await dialog.getByRole("button", { name: "Save project" }).click();
  await page.getByRole("link", { name: "customer=5.00/month" }).click();
  await page.getByText("No value has been used yet").waitFor();
  const key = await scene.makeKey(account, { project: project.id, tags: { customer: "acme" } });
  const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content: "Hello!" }] }),
  });
  expect(status).toBe(200);
  await page.reload();
  await page.getByRole("row", { name: /acme/ }).waitFor();
  await page.getByRole("button", { name: "Raise acme" }).waitFor();

  const viewer = await browser.visit(gateway.url);
  await signIn(viewer, gateway, { role: "member", account, account_role: "viewer" });
  await viewer.page.goto(`/console/tags/customer?of=${project.id}`);
  await viewer.page.getByRole("row", { name: /acme/ }).waitFor();
  expect(await viewer.page.getByRole("button", { name: "Raise acme" }).count()).toBe(0);
});

test("a limit by model of the gateway stands among those of each account, with what it has used there", async () => {
  const { gateway, browser } = scene;
  const value = { models: { "openai/*": { rpm: 60, budget: "5/day" } } };
  await gateway.admin("PUT", "/configuration/elements/limits/default", { value, version: 0 });
  const account = (
    await gateway.admin<{ id: string }>("POST", "/accounts", { email: "each@example.com", credit: "25" })
  ).id;
  const { key } = await scene.makeKey(account, {});
  const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content: "Hello!" }] }),
  });
  expect(status).toBe(200);
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "administrator", account });
  const { page } = visitor;
  await page.goto(`/console/admin/accounts/${account}`);
  const limit = page.getByRole("listitem").filter({ hasText: "openai/*:rpm=60,budget=5.00/day" });
  await limit.getByText("set for every account").waitFor();
  await limit
    .getByText(/of \$5\.00/)
    .first()
    .waitFor();
  await checkBothThemes(page);
});
