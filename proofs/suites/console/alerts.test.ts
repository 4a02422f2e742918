import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

/** Alerts in a real browser, with a real mail server and a real receiver. */

setDefaultTimeout(90_000);

let browser: TestBrowser;
let mail: MailServer;
let hook: WebhookReceiver;
let gateway: Gateway;
let account: string;

beforeAll(async () => {
  [browser, mail, hook] = await Promise.all([launchBrowser(), startMailServer(), startWebhookReceiver()]);
  const config =
    'console: { public_url: "http://models.example.com" }\nvendors: { sim: {} }\nalerts: { private_addresses: true }\n';
  gateway = await startGateway({ config, env: { CAMINO_SMTP_URL: mail.url } });
  const studio = { email: "studio@example.com", name: "Example Studio", credit: "2" };
  account = (await gateway.admin<{ id: string }>("POST", "/accounts", studio)).id;
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await mail?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
});

async function visit(path: string, user: object): Promise<Page> {
  const visitor = await browser.visit(gateway.url, { expected: [/403|404/] });
  await signIn(visitor, gateway, user);
  await visitor.page.goto(`/console${path}`);
  return visitor.page;
}

test("an owner is offered the defaults, is told by e-mail with one click, adds a webhook, tries it, and sends something again", async () => {
  const page = await visit("/alerts", { role: "member", account, account_role: "owner" });
  await page.getByText("Nobody is told yet").waitFor();
  await page.getByText("less than 5 units are left").waitFor();
  expect(await page.getByText("vendor.failing").count()).toBe(0);
  await checkBothThemes(page);
  await page.getByRole("button", { name: "Tell me by e-mail" }).click();
  await page.getByText("Alerts go to you from now on").waitFor();
  await page.getByRole("button", { name: "Add a target" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Kind" }).selectOption("webhook");
  await dialog.getByRole("textbox", { name: "Address" }).fill("nonsense");
  await dialog.getByRole("button", { name: "Add target" }).click();
  await dialog.getByText("is not a target").waitFor();
  await dialog.getByRole("textbox", { name: "Address" }).fill(hook.url);
  await dialog.getByRole("button", { name: "Add target" }).click();
  await dialog.getByText("whsec_").first().waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: new RegExp(hook.url) });
  await row.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test has arrived").waitFor();
  expect((await hook.first("test")).event.type).toBe("test");
  await hook.first("balance.low");
  await page.reload();
  await page.getByText("is low, since").waitFor();
  await page.getByRole("table", { name: "Told alerts" }).getByText("delivered").first().waitFor();
  await checkBothThemes(page);
  await screenshot(page, "alerts");
  const taken = hook.taken.length;
  const told = page.getByRole("row", { name: /webhook/ }).filter({ hasText: "balance.low" });
  await told.getByRole("button", { name: "Send again" }).click();
  await page.getByText("It is sent again").waitFor();
  while (hook.taken.length === taken) await Bun.sleep(20);
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
});

test("a billing contact sees where alerts go, and neither a URL's secret part nor a button", async () => {
  const to = `webhook:${hook.url}?token=canary`;
  await gateway.admin("POST", "/alerts/targets", { account, to });
  const page = await visit("/alerts", { role: "member", account, account_role: "billing" });
  await page.getByText("127.0.0.1").waitFor();
  expect(await page.content()).not.toContain("canary");
  expect(await page.getByRole("button", { name: "Add a target" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Send a test" }).count()).toBe(0);
});

test("an administrator finds the gateway's alerts beside Health, with all types", async () => {
  const page = await visit("/admin/health", { role: "administrator" });
  await page.getByRole("link", { name: "Alerts", exact: true }).last().click();
  await page.getByText("Nobody is told yet").waitFor();
  await page.getByText("vendor.failing").waitFor();
  await checkBothThemes(page);
});
