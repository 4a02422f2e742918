import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import type { ReceiptDetail } from "../../../contract/requests.ts";
import type { Traffic } from "../../../contract/traffic.ts";
import { DEVICES, goTo, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import type { Gateway } from "../../support/gateway.ts";
import { type PersonOptions, signIn } from "../../support/sign-in.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/**
 * What anybody sees who looks at the console on a desktop, where scrollbars take room: nothing scrolls that need not, nothing lies on top of what is
 * typed, nothing jumps, and the numbers are those of the books.
 */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let simulated: SimulatedGateway;
let gateway: Gateway;
let account: string;
let answered: string;

beforeAll(async () => {
  browser = await launchBrowser({ scrollbars: "classic" });
  simulated = await startSimulatedGateway({
    models: {
      "acme/swift": {
        upstream_model: "echo",
        price: { input: 1.2, output: 4.8 },
        cost: { input: 1, output: 4 },
        fallbacks: [],
      },
      "acme/steady": { upstream_model: "echo" },
      "acme/dear": { upstream_model: "echo", price: { input: 1.2, output: 4.8 }, cost: { input: 0, output: 0 } },
      "acme/broken": { upstream_model: "fail-503", fallbacks: ["acme/steady"] },
      "acme/alone": { upstream_model: "fail-503" },
    },
    sections: { aliases: { fast: "acme/swift", "quick-*": "acme/swift" } },
  });
  ({ gateway } = simulated);
  const made = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "sight@example.com", credit: "10" });
  account = made.id;
  const { key } = await gateway.admin<{ key: string }>("POST", "/keys", { account, name: "Production" });
  answered = await ask(key, "acme/swift");
  await ask(key, "acme/dear");
  await ask(key, "acme/swiftt");
  await ask(key, "acme/alone");
  await ask(key, "acme/alone");
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await simulated?.[Symbol.asyncDispose]();
});

/** Makes a call and returns the request's id. */
async function ask(key: string, model: string): Promise<string> {
  const messages = [{ role: "user", content: "Which stage is the longest?" }];
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages, max_tokens: 20 }),
  });
  await response.text();
  return response.headers.get("x-camino-request-id") ?? "";
}

async function visit(path: string, person: PersonOptions = {}): Promise<Page> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, person);
  await visitor.page.goto(`/console${path}`);
  await visitor.page.locator("main h1").waitFor();
  return visitor.page;
}

const asMember = (path: string, account_role = "owner") => visit(path, { role: "member", account, account_role });

/** How far the inside of what a selector finds reaches beyond it, and what a scrollbar takes of it. */
const beyond = (page: Page, selector: string) =>
  page.evaluate<number>(`(() => {
    const { scrollHeight, clientHeight, offsetWidth, clientWidth } = document.querySelector(${JSON.stringify(selector)});
    return scrollHeight - clientHeight + offsetWidth - clientWidth;
  })()`);

test("a row of tabs has no scrollbar", async () => {
  const page = await visit("/keys");
  for (const path of ["/console/keys", "/console/admin/users", "/console/playground"]) {
    if (!page.url().endsWith(path)) await goTo(page, path);
    await page.getByRole("tablist").first().waitFor();
    for (const size of [DEVICES.desktop, DEVICES.phone]) {
      await page.setViewportSize(size);
      expect(await beyond(page, "[role=tablist]")).toBe(0);
    }
    await page.setViewportSize(DEVICES.desktop);
  }
  await goTo(page, "/console/admin/configuration");
  await page.locator("nav.tab-row").waitFor();
  expect(await beyond(page, "nav.tab-row")).toBe(0);
});

test("what is typed into a search has nothing on top of it", async () => {
  const page = await asMember("/models");
  const search = page.getByRole("searchbox", { name: "Search models" });
  await search.fill("swift");
  const [glass, typed] = await Promise.all([page.locator("search svg").first().boundingBox(), search.boundingBox()]);
  const padding = await page.evaluate<number>(
    `Number.parseFloat(getComputedStyle(document.querySelector("input[type=search]")).paddingInlineStart)`,
  );
  // The cross is at the other end, and the text begins behind the glass.
  expect((glass?.x ?? 0) - (typed?.x ?? 0) + (glass?.width ?? 0)).toBeLessThan(padding);
});

test("a chart stays where it is when somebody points at it, and says how much it was in all", async () => {
  const page = await visit("/usage?account=all");
  await counted();
  await page.reload();
  const chart = page.getByRole("img", { name: /^Spend by day/ });
  await chart.waitFor();
  const total = page.getByRole("region", { name: /^Spend by day/ }).locator("p", { hasText: /^Total/ });
  await total.waitFor();
  const before = await chart.boundingBox();
  for (const share of [0.3, 0.6, 0.97]) {
    await chart.hover({ position: { x: (before?.width ?? 0) * share, y: 80 } });
    expect((await chart.boundingBox())?.y).toBe(before?.y ?? -1);
  }
  expect(await total.count()).toBe(0);
});

test("a refusal, which costs nothing, has no colour among what was spent", async () => {
  const page = await visit("/usage?account=all&by=model");
  await counted();
  await page.reload();
  const card = page.getByRole("region", { name: /^Spend by day and model/ });
  await card.getByText("acme/swift").waitFor();
  expect(await card.getByText("no model").count()).toBe(0);
});

test("only the operator sees margins", async () => {
  const page = await asMember("/usage?view=traffic");
  await page.getByText("Time to first byte", { exact: true }).first().waitFor();
  expect(await page.locator("main").textContent()).not.toContain("Margin");
});

test("two models on one of a vendor's have a margin each, by what each costs, and calls that are counted together", async () => {
  await counted();
  const { groups } = await gateway.admin<Traffic>("GET", "/usage/traffic?by=model");
  const margins = new Map(groups.map(({ id, charge_micro, margin_micro }) => [id, [charge_micro, margin_micro]]));
  const [charged = 0, kept = 0] = margins.get("acme/swift") ?? [];
  // A sixth of the price, and the whole of it.
  expect((kept ?? 0) / (charged ?? 0)).toBeCloseTo(1 / 6, 1);
  expect(margins.get("acme/dear")).toEqual([charged, charged]);
  const page = await visit("/admin/vendors/acme");
  const row = page.getByRole("table", { name: "Models" }).getByRole("row").filter({ hasText: "acme/dear" });
  await row.getByText("used by 3 models, counted together").waitFor();
});

test("each line of a receipt is its count times its price, and their sum alone is rounded", async () => {
  const page = await asMember(`/requests/${answered}`);
  const table = page.getByRole("table", { name: "Token classes and what they cost" });
  const receipt = await gateway.admin<ReceiptDetail>("GET", `/requests/${answered}`);
  const shown = await table.locator("tbody td:last-child").allTextContents();
  const numbers = shown.map((text) => Number(text.replace(/[^0-9.]/g, "")));
  const wanted = receipt.lines.map(({ count, price_micro }) => (count * price_micro) / 1e12);
  expect(numbers.map((each) => each.toFixed(12))).toEqual(wanted.map((each) => each.toFixed(12)));
  expect(await table.locator("tfoot").textContent()).toContain((receipt.charge_micro / 1e6).toFixed(6));
});

test("a balance is the ledger's to the last digit", async () => {
  const page = await asMember("/credits");
  const { balance_micro } = await gateway.admin<{ balance_micro: number }>("GET", `/accounts/${account}`);
  const exact = `$${(balance_micro / 1e6).toFixed(6).replace(/0{1,4}$/, "")}`;
  const balance = page.getByText("Balance", { exact: true }).locator("..");
  await balance.getByText(exact, { exact: true }).waitFor();
  await page.getByText("Booked", { exact: true }).locator("..").getByText(exact, { exact: true }).waitFor();
});

test("a model has the gateway's aliases among its names", async () => {
  const page = await asMember("/models/acme/swift");
  const names = page.getByRole("region", { name: "Names" });
  for (const name of ["fast", "quick-*"]) await names.getByText(name, { exact: true }).waitFor();
});

test("an answer of another model than the one that was asked says so", async () => {
  const page = await asMember("/playground?model=acme/swift&compare=acme/broken");
  await page.getByRole("textbox", { name: "Message" }).fill("How far?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const column = page.getByRole("region", { name: "acme/broken" });
  await column.getByText("answered by acme/steady").waitFor();
  expect(await page.getByRole("region", { name: "acme/swift" }).getByText("answered by").count()).toBe(0);
});

test("a role is that in the account, and a page that it does not open says so", async () => {
  const page = await asMember("/credits", "viewer");
  await page.getByText("Your role does not include this page").waitFor();
  await page.getByRole("button", { name: /Viewer$/ }).waitFor();
  expect(await page.getByText("could not be loaded").count()).toBe(0);
});

test("what a field lacks is said below it, and it is the one to go on with", async () => {
  const page = await asMember("/settings");
  const field = page.getByLabel("Current password");
  await page.getByLabel("New password").fill("short");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("This field is required.").waitFor();
  await page.getByText(/^Enter at least \d+ characters\.$/).waitFor();
  expect(await field.and(page.locator(":focus")).count()).toBe(1);
  await field.fill("a");
  await page.getByText("This field is required.").waitFor({ state: "detached" });
});

test("a time in a log is one of the clock", async () => {
  const page = await asMember("/requests");
  const time = page.getByRole("table", { name: "Requests" }).locator("time").first();
  expect(await time.textContent()).toMatch(/^[A-Z][a-z]{2} \d+, \d+:\d\d:\d\d\s[AP]M$/);
});

test("a route of which every call fails is not healthy", async () => {
  const page = await visit("/admin/routes?q=acme/alone");
  const routes = page.getByRole("list", { name: "Routes of acme/alone" });
  await routes.getByText("100%").waitFor();
  expect(await routes.locator("xpath=..").textContent()).not.toMatch(/healthy|available/);
});

/** Waits until the gateway has counted what there was: it does so every few seconds. */
async function counted(): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { total } = await gateway.admin<{ total: { requests: number } }>("GET", "/usage/traffic");
    if (total.requests >= 4) return;
    await Bun.sleep(500);
  }
  throw new Error("the calls were not counted");
}
