import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkBothThemes } from "../../support/accessibility.ts";
import { DEVICES, goWithin, type TestBrowser } from "../../support/browser.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import type { Gateway, TestKey } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Tags that requests carry, in the console: on receipts, in the list of requests, and in usage. */

setDefaultTimeout(60_000);

const MODEL = "openai/gpt-5.4-mini";
/** A name and a value as long as they may be. */
const LONG_NAME = `${"cost-centre.of.the.".repeat(2)}eu`.padEnd(40, "-");
const LONG_VALUE = "research-and-development/quarterly-evaluation".padEnd(100, "-x");

let scene: ConsoleScene;
let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ browser, gateway } = scene);
});
afterAll(() => scene?.[Symbol.asyncDispose]());

/** Calls a model with tags. Returns the request's id. */
async function ask({ key }: Pick<TestKey, "key">, tags: Readonly<Record<string, string>> = {}, model = MODEL) {
  const written = Object.entries(tags).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(written.length > 0 && { "x-camino-tags": written.join(",") }),
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  return answer.headers.get("x-camino-request-id") ?? "";
}

async function member(account: string): Promise<Page> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account });
  return visitor.page;
}

const tagFilter = (page: Page) => page.getByLabel("Tag, as team=search");
const requests = (page: Page, count: number) =>
  page.getByText(`${count} request${count === 1 ? "" : "s"}`, { exact: true }).waitFor();
/** How many requests a usage report has. */
const counted = (page: Page, count: number) =>
  page
    .getByRole("main")
    .getByText("Requests", { exact: true })
    .first()
    .locator("..")
    .getByText(String(count), { exact: true })
    .waitFor();

test("a receipt shows its tags, of which each leads to the requests that carry it", async () => {
  const key = await gateway.newKey({ tags: { team: "brand" } });
  const id = await ask(key, { team: "search", [LONG_NAME]: LONG_VALUE });
  await ask(key, { team: "ads" });
  await ask(key);
  const page = await member(key.account);
  await page.goto(`/console/requests/${id}`);
  const details = page.getByRole("region", { name: "Details" });
  await details.getByRole("link", { name: `${LONG_NAME}=${LONG_VALUE}` }).waitFor();
  await checkBothThemes(page);
  await screenshot(page, "request-tags");
  await page.setViewportSize(DEVICES.phone);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize(DEVICES.desktop);
  await details.getByRole("link", { name: "team=search" }).click();
  await page.waitForURL(/\/requests\?.*tag=team%3Dsearch/);
  await requests(page, 1);
  await page.getByText("Requests that carry team=search themselves").waitFor();
  await checkBothThemes(page);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  const lines = (await Bun.file(await file.path()).text()).trim().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",")[0])).toEqual([id]);

  // The key's own tag does not count for requests.
  await tagFilter(page).fill("team=brand");
  await page.getByText("No request matches").waitFor();
  await tagFilter(page).fill("team=");
  await page.getByText("Requests that do not carry the tag team themselves.").waitFor();
  await requests(page, 1);
  await page.reload();
  await requests(page, 1);
  await tagFilter(page).fill("Team");
  await page.getByText("Write a tag as name=value").waitFor();
  await requests(page, 3);
  const offered = 'Array.from(document.querySelectorAll("datalist option"), (option) => option.value)';
  expect(await page.evaluate<string[]>(offered)).toContain("team=");
});

test("a receipt says how its tags are counted where its day had no room for them", async () => {
  const key = await gateway.newKey();
  for (let call = 0; call < 5; call += 1)
    await ask(key, Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`name-${call}-${at}`, "x"])));
  const id = await ask(key, { "name-0-0": "x", "one-more": "y" });
  const page = await member(key.account);
  await page.goto(`/console/requests/${id}`);
  const details = page.getByRole("region", { name: "Details" });
  await details.getByText("Counted as").waitFor();
  const shown = details.locator("dt", { hasText: "Counted as" }).locator("+ dd");
  expect(await shown.getByRole("listitem").allTextContents()).toEqual(["(other)=(other)", "name-0-0=x"]);
  await details.getByText("than are counted separately").waitFor();
  await checkBothThemes(page);
  await goWithin(page, "/console/usage?tagged=(other)%3D(other)");
  await page.getByText("had no room to count apart").waitFor();
  await counted(page, 2);
});

test("usage by a tag's values leads to what one of them is made of, and to its requests and keys", async () => {
  const key = await gateway.newKey({ tags: { team: "brand" } });
  for (const model of [MODEL, "anthropic/claude-haiku-4-5"]) await ask(key, { team: "search" }, model);
  await ask(key, { team: "ads" });
  await ask(key);
  const bare = await gateway.admin<TestKey>("POST", "/keys", { account: key.account, name: "Bare" });
  await ask(bare, { env: "prod" });
  const page = await member(key.account);
  await page.goto("/console/usage");
  await page.getByLabel("Group by").selectOption({ label: "Tag: team" });
  const bars = page.getByRole("list", { name: "Spend by team" });
  await bars.getByRole("link", { name: "without the tag" }).waitFor();
  await checkBothThemes(page);
  await bars.getByRole("link", { name: "search" }).click();
  await page.waitForURL(/tagged=team%3Dsearch/);
  await page.getByRole("heading", { name: "By model", exact: true }).waitFor();
  await counted(page, 2);
  expect(await page.getByRole("table", { name: "Usage" }).getByRole("rowheader").count()).toBe(2);
  await checkBothThemes(page);
  await screenshot(page, "usage-of-tag");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  expect((await Bun.file(await file.path()).text()).trim().split("\r\n")).toHaveLength(3);

  await tagFilter(page).fill("team=");
  await page.getByText("Usage without the tag team.").waitFor();
  await page.getByRole("table", { name: "Usage" }).getByRole("rowheader", { name: MODEL }).waitFor();
  await counted(page, 1);
  await page.getByLabel("Group by").selectOption({ label: "Day and tag: env" });
  await page.getByText("Usage is counted by each tag, not by two together.").waitFor();
  await tagFilter(page).fill("env=prod");
  await page.getByRole("table", { name: "Usage" }).getByRole("link", { name: "prod" }).click();
  await page.getByRole("heading", { name: "By day and model", exact: true }).waitFor();
  await page.getByRole("link", { name: "keys that have it" }).waitFor();
  await page.getByRole("link", { name: "requests that carry it" }).click();
  await requests(page, 1);
});

test("administrators see requests and usage of all accounts by tag", async () => {
  const keys = [await gateway.newKey(), await gateway.newKey({ tags: { unit: "north" } })];
  for (const key of keys) await ask(key, { unit: "south" });
  await ask(keys[1] as TestKey);
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  const { page } = visitor;
  await page.goto("/console/requests?account=all");
  await tagFilter(page).fill("unit=south");
  await requests(page, 2);
  await page.getByRole("table", { name: "Requests" }).getByRole("link", { name: MODEL }).first().click();
  await page.getByRole("link", { name: "unit=south" }).click();
  await requests(page, 2);
  expect(new URL(page.url()).searchParams.get("account")).toBe("all");

  await goWithin(page, "/console/usage?account=all");
  await page.getByRole("tab", { name: "Billing" }).click();
  await page.getByLabel("Group by").selectOption({ label: "Tag: unit" });
  await page.getByRole("table", { name: "Usage" }).getByRole("link", { name: "north" }).waitFor();
  await checkBothThemes(page);
  await page.getByRole("table", { name: "Usage" }).getByRole("link", { name: "south" }).click();
  await page.waitForURL(/tagged=unit%3Dsouth/);
  await page.getByRole("heading", { name: "By model", exact: true }).waitFor();
  await counted(page, 2);
  await page.getByRole("tab", { name: "Traffic" }).click();
  await page.getByRole("tab", { name: "Traffic", selected: true }).waitFor();
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ account: "all", range: "7d", by: "model" });
});
