import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import type { Gateway } from "../../support/gateway.ts";
import { signIn } from "../../support/sign-in.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** An administrator who looks at all accounts sees those of all, is asked for one where a page shows one, and knows when they act for one. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let simulated: SimulatedGateway;
let gateway: Gateway;
let requests: readonly string[];

const CUSTOMERS = [
  { email: "billing@globex.example", name: "Globex", credit: "20" },
  { email: "billing@initech.example", name: "Initech", credit: "30" },
] as const;

beforeAll(async () => {
  browser = await launchBrowser();
  simulated = await startSimulatedGateway({ models: { "acme/swift": { upstream_model: "echo" } } });
  ({ gateway } = simulated);
  const made: string[] = [];
  for (const customer of CUSTOMERS) {
    const { id: account } = await gateway.admin<{ id: string }>("POST", "/accounts", customer);
    const { key } = await gateway.admin<{ key: string }>("POST", "/keys", { account, name: `${customer.name} batch` });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "acme/swift", messages: [{ role: "user", content: "Hello!" }] }),
    });
    await response.text();
    made.push(response.headers.get("x-camino-request-id") ?? "");
  }
  requests = made;
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await simulated?.[Symbol.asyncDispose]();
});

async function administratorAt(path: string): Promise<Page> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  await visitor.page.goto(`/console${path}`);
  await visitor.page.locator("main h1").waitFor();
  return visitor.page;
}

test("all accounts' keys are listed, each with its account, which is a link to that account's", async () => {
  const page = await administratorAt("/keys?account=all");
  const table = page.getByRole("table", { name: "Keys" });
  for (const { name, email } of CUSTOMERS)
    await table
      .getByRole("row", { name: new RegExp(`^${name} batch`) })
      .getByText(email)
      .waitFor();
  await checkBothThemes(page);
  await table.getByRole("link", { name: CUSTOMERS[0].email }).click();
  await table.getByText("Initech batch").waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Acting for an account" }).getByText("Globex", { exact: true }).waitFor();
});

test("a page of one account asks for it; who acts for a customer is told on each page, and can leave", async () => {
  const page = await administratorAt("/credits?account=all");
  for (const path of ["Aliases", "Alerts", "Team", "Playground", "Credits"]) {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: path, exact: true }).click();
    await page.getByRole("heading", { name: path, level: 1 }).waitFor();
    await page.locator("main").getByRole("button", { name: "Choose an account" }).waitFor();
  }
  await checkBothThemes(page);
  await page.locator("main").getByRole("button", { name: "Choose an account" }).click();
  await page.getByRole("combobox", { name: "Show which account?" }).fill("initech");
  await page.getByRole("option", { name: /Initech/ }).click();
  await page.getByText("$29.99", { exact: false }).first().waitFor();
  const banner = page.getByRole("region", { name: "Acting for an account" });
  await banner.getByText("You are acting for Initech (billing@initech.example)").waitFor();
  await checkBothThemes(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Accounts", exact: true }).click();
  await banner.waitFor({ state: "detached" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Keys", exact: true }).click();
  await banner.getByRole("button", { name: "Leave" }).click();
  await banner.waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("account")).toBeNull();
});

test("the newest requests of all and a receipt name the account, and requests are filtered by it", async () => {
  const page = await administratorAt("/?account=all");
  const latest = page.getByRole("table", { name: "Latest requests" });
  for (const { email } of CUSTOMERS) await latest.getByRole("link", { name: email }).waitFor();
  await page.getByRole("link", { name: "All requests" }).click();
  const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr");
  await rows.nth(1).waitFor();
  await page.getByRole("combobox", { name: "Account" }).fill("globex");
  await page.getByRole("option", { name: /globex/ }).click();
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.getByText(CUSTOMERS[0].email).waitFor();
  await rows.first().getByRole("link", { name: "acme/swift" }).click();
  await page.waitForURL(new RegExp(`/requests/${requests[0]}`));
  await page.getByRole("region", { name: "Details" }).getByRole("link", { name: CUSTOMERS[0].email }).click();
  await page.getByRole("heading", { name: "Globex", level: 1 }).waitFor();
});

test("a member of one account sees whose it is", async () => {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account: CUSTOMERS[1].email });
  await visitor.page.goto("/console/");
  await visitor.page.getByText("Initech", { exact: true }).first().waitFor();
});
