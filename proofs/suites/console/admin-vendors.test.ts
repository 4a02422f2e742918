import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkBothThemes } from "../../support/accessibility.ts";
import { type AdminScene, ask, startAdminScene, VENDOR_KEY, WRONG_KEY } from "../../support/admin-scene.ts";
import { goTo, goWithin, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import type { Gateway, TestKey } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";
import { stayAt } from "../../support/staying.ts";

/** Vendors from the console: a credential goes in and never comes out, a test call tells whether it works. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let scene: AdminScene;
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  [browser, scene] = await Promise.all([launchBrowser(), startAdminScene()]);
  gateway = scene.gateway;
  key = await gateway.newKey();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await scene?.[Symbol.asyncDispose]();
});

async function administratorAt(path: string): Promise<Page> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  await visitor.page.goto(`/console${path}`);
  return visitor.page;
}

test("a refusing vendor answers with another credential, tested over HTTP, and refuses without it", async () => {
  const page = await stayAt(browser, gateway, "/admin/vendors");
  const told: string[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/console/api/"))
      void response.text().then(
        (text) => told.push(text),
        () => undefined,
      );
  });
  await page.getByRole("table", { name: "Enabled vendors" }).getByRole("link", { name: "Acme AI" }).click();
  await page.getByRole("heading", { name: "Acme AI", level: 1 }).waitFor();
  const test_call = page.getByRole("region", { name: "Test call" });
  const credential = page.getByRole("region", { name: "Credential" });
  const makeCall = () => test_call.getByRole("button", { name: "Make a test call" }).click();

  await makeCall();
  await test_call.getByRole("alert").waitFor();
  expect(await test_call.textContent()).toContain("401");
  expect(await ask(gateway, key, "acme/swift-mini")).toBe(502);

  await credential.getByRole("button", { name: "Set credential" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("API key");
  expect(await field.getAttribute("type")).toBe("password");
  await field.fill(VENDOR_KEY);
  await checkBothThemes(page);
  await screenshot(page, "admin-credential");
  const before = scene.simulator.log.total;
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await credential.getByText("console", { exact: true }).waitFor();
  await credential.getByText(/^Acme AI accepts it and lists \d+ models\.$/).waitFor();
  await makeCall();
  await test_call.getByText(/^It works/).waitFor();
  expect(scene.simulator.log.total).toBe(before + 2);
  await test_call.getByText(/Simulated answer/).waitFor();
  await screenshot(page, "admin-test-call");
  await checkBothThemes(page);
  expect(await ask(gateway, key, "acme/swift-mini")).toBe(200);

  await credential.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("The one of the configuration file is used again").waitFor();
  await dialog.getByRole("button", { name: "Remove credential" }).click();
  await credential.getByText("file", { exact: true }).waitFor();
  expect(await ask(gateway, key, "acme/swift-mini")).toBe(502);

  await goTo(page, "/console/admin/audit?object=acme");
  const log = page.getByRole("list", { name: "Changes, newest first" });
  await log.getByText("set the credential of").waitFor();
  const [removed = "", set = ""] = await log.getByRole("listitem").allTextContents();
  expect(set).toMatch(/^ana-\d+@example\.com set the credential of acme.*sourcefileconsole.*last characters32106789/);
  expect(removed).toMatch(/^ana-\d+@example\.com removed the credential of acme.*sourceconsolefile/);
  await page.waitForLoadState("networkidle");
  expect(told.length).toBeGreaterThan(5);
  for (const secret of [VENDOR_KEY, WRONG_KEY]) {
    expect(told.join()).not.toContain(secret);
    expect(await page.content()).not.toContain(secret);
  }
});

test("several keys are set together and changed one by one, and show which of them rests", async () => {
  const page = await stayAt(browser, gateway, "/admin/vendors/acme");
  const credential = page.getByRole("region", { name: "Credential" });
  const dialog = page.getByRole("dialog");
  await credential.getByRole("button", { name: "Set credential" }).click();
  await dialog.getByLabel("Kind").selectOption({ label: "Several keys" });
  await dialog.getByLabel("API key").fill(VENDOR_KEY);
  await dialog.getByRole("button", { name: "Add a key" }).click();
  await dialog.getByLabel("API key").nth(1).fill(WRONG_KEY);
  await dialog.getByLabel("Requests per minute").first().fill("500");
  await checkBothThemes(page);
  await screenshot(page, "admin-several-keys");
  await dialog.getByRole("button", { name: "Set credential" }).click();
  await dialog.waitFor({ state: "hidden" });
  // The second key is refused wherever a conversation has it, and rests.
  for (let words = 3; words < 12; words += 1) expect(await ask(gateway, key, "acme/swift-mini", words)).toBe(200);
  const states = credential.getByRole("listitem");
  await states.filter({ hasText: "key-2" }).getByText("resting").waitFor();
  await states.filter({ hasText: "key-1" }).getByText("of 500").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "admin-keys");

  await goTo(page, "/console/admin/health");
  await page.getByText("key-2 rests, as the vendor refused it").waitFor();
  await screenshot(page, "admin-health-rests");

  await goTo(page, "/console/admin/vendors/acme");
  await credential.getByRole("button", { name: "Replace" }).click();
  await dialog.getByRole("button", { name: "Remove key-2" }).click();
  expect(await dialog.getByLabel("Requests per minute").inputValue()).toBe("500");
  await dialog.getByRole("button", { name: "Replace credential" }).click();
  await dialog.waitFor({ state: "hidden" });
  await states.filter({ hasText: "key-1" }).getByText("ready").waitFor();
  await states.filter({ hasText: "key-2" }).waitFor({ state: "hidden" });
  expect(await ask(gateway, key, "acme/swift-mini")).toBe(200);
  for (const secret of [VENDOR_KEY, WRONG_KEY]) expect(await page.content()).not.toContain(secret);
  await credential.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove credential" }).click();
  await credential.getByText("file", { exact: true }).waitFor();
});

test("a known vendor adds its models when it gets a credential, and loses them with it", async () => {
  const page = await stayAt(browser, gateway, "/admin/vendors?q=mistral");
  await page
    .getByRole("table", { name: "Vendors that are not configured" })
    .getByRole("link", { name: "Mistral AI" })
    .click();
  await page.getByText("Set its credential first").waitFor();
  await page.getByRole("heading", { name: "Models it would add" }).waitFor();
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Set credential" }).click();
  await page.getByLabel("API key").fill("sk-mistral-of-the-console");
  // Nothing is sent to the vendor itself, which would refuse it.
  const error = { code: "provider_error", message: "Mistral AI refuses the credential (status 401)." };
  await page.route("**/vendors/mistral/models", (route) =>
    route.fulfill({ status: 400, contentType: "application/json", body: JSON.stringify({ error }) }),
  );
  await page.getByRole("dialog").getByRole("button", { name: "Set credential" }).click();
  await page.getByText("enabled by a credential from this console").waitFor();
  await page.getByText("It is stored, but the check failed. Mistral AI refuses the credential (status 401).").waitFor();
  await page.unroute("**/vendors/mistral/models");
  await goTo(page, "/console/admin/prices?vendor=mistral");
  await page.getByRole("table", { name: "Prices per million tokens" }).getByRole("link").first().waitFor();
  await goTo(page, "/console/admin/vendors/mistral");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nothing replaces it").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Remove credential" }).click();
  await page.getByRole("heading", { name: "Models it would add" }).waitFor();
});

test("prices show to the last decimal the price, the margin and later changes", async () => {
  const page = await stayAt(browser, gateway, "/admin/prices?q=swift-mini");
  const table = page.getByRole("table", { name: "Prices per million tokens" });
  const price = table.getByText("$1.255");
  await price.hover();
  await page.getByRole("tooltip", { name: "1.255000 USD · 1,255,000 micro per million tokens" }).waitFor();

  const reader = await browser.visit(gateway.url, { locale: "de-DE" });
  await signIn(reader, gateway);
  await reader.page.goto("/console/admin/prices?q=swift-mini");
  await reader.page.getByText("$1.255").waitFor();

  await goWithin(page, "/console/admin/prices?only=losing");
  await table.getByRole("link", { name: "anthropic/claude-haiku-4-5", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("row", { name: /^As bundled \$1\.00/ }).waitFor();
  await dialog.getByRole("row", { name: /^Margin -\$0\.10 \(-11\.11%\) \$0\.00 \(0%\)/ }).waitFor();
  expect(new URL(page.url()).searchParams.get("model")).toBe("anthropic/claude-haiku-4-5");
  await checkBothThemes(page);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  expect(new URL(page.url()).searchParams.get("only")).toBe("losing");

  await goWithin(page, "/console/admin/prices?model=acme/swift-1");
  await dialog.getByRole("row", { name: /^Now, above 200,000 input tokens \$6\.00 \$22\.50/ }).waitFor();
  await dialog.getByRole("row", { name: /^From Jan 1, \d{4}.* \$2\.50 \$12\.50 \$0\.25 \$3\.125/ }).waitFor();
});

test("routes show weights, fallbacks and, live, a circuit that opens", async () => {
  const page = await stayAt(browser, gateway, "/admin/routes?q=acme");
  await page.getByRole("list", { name: "Routes of acme/swift-1" }).getByText("75%").waitFor();
  const ways = page.getByRole("list", { name: "Routes of acme/shaky" });
  await ways.getByText("healthy").waitFor();
  // A circuit opens for all when the calls of several accounts fail.
  const keys = await Promise.all([gateway.newKey(), gateway.newKey(), gateway.newKey()]);
  for (let call = 0; call < 24; call += 1) await ask(gateway, keys[call % keys.length] ?? key, "acme/shaky");
  await ways.getByText(/^(failing|testing)$/).waitFor();
  await ways.getByText("100%").waitFor();
  await page.getByLabel("State").selectOption("trouble");
  await page.getByText("1 model", { exact: true }).waitFor();
  await page.getByRole("link", { name: "acme/thinker" }).click();
  await page.getByRole("heading", { name: "acme/thinker" }).waitFor();
});

test("limits name the accounts that an administrator has limited, and lead to them", async () => {
  await gateway.admin("PATCH", `/accounts/${key.account}`, { rpm: 4321 });
  const page = await administratorAt("/admin/limits");
  const row = page.getByRole("table", { name: "Accounts with limits" }).getByRole("row", { name: /4,321/ });
  await row.getByRole("link").click();
  await page.waitForURL(`**/console/admin/accounts/${key.account}`);
  await gateway.admin("PATCH", `/accounts/${key.account}`, { rpm: null });
});

test("limits name the keys that have their own, and lead to them", async () => {
  const made = await gateway.admin<{ id: string }>("POST", "/keys", {
    account: key.account,
    name: "Slow lane",
    rpm: 7,
  });
  const page = await administratorAt("/admin/limits?has=rpm");
  const row = page.getByRole("row", { name: /Slow lane/ });
  expect(await row.textContent()).toContain("7");
  await row.getByRole("link", { name: "Slow lane" }).click();
  await page.getByRole("heading", { name: "Slow lane", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/keys/${made.id}`);
});

test("health shows a stream and its hold live while the stream runs", async () => {
  const page = await administratorAt("/admin/health");
  const tile = (label: string) => page.getByText(label, { exact: true }).locator("xpath=following-sibling::div[1]");
  await tile("Streams").getByText("0", { exact: true }).waitFor();
  const leaving = new AbortController();
  const stream = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: "acme/standing", stream: true, messages: [{ role: "user", content: "Go on" }] }),
    signal: leaving.signal,
  });
  expect(stream.status).toBe(200);
  // An unreferenced body may be collected at any time, which would end the stream.
  const body = stream.body?.getReader();
  await body?.read();
  await tile("Streams").getByText("1", { exact: true }).waitFor();
  await tile("Open holds").getByText("1", { exact: true }).waitFor();
  await screenshot(page, "admin-health");
  expect(body).toBeDefined();
  leaving.abort();
  await tile("Streams").getByText("0", { exact: true }).waitFor();
  await tile("Open holds").getByText("0", { exact: true }).waitFor();
});
