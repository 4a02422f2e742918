import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** The gateway goes away while the console is open, and comes back. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const GONE = [/ERR_CONNECTION_REFUSED/, /dynamically imported module/, /PageNotLoaded/, /cannot be reached/, /502/];

test("a banner says that the gateway is gone, a page that was not loaded waits for it, and all goes on by itself", async () => {
  const visitor = await browser.visit(gateway.url, { expected: GONE, alone: true });
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/settings");
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Typed before");
  await page.route("**/console/**", (route) => route.abort("connectionrefused"));
  const banner = page.getByText("The gateway cannot be reached. What you see may be out of date");
  await banner.waitFor();
  expect(await name.inputValue()).toBe("Typed before");
  await checkBothThemes(page);
  await screenshot(page, "gateway-gone");

  await page.getByRole("link", { name: "Model setup", exact: true }).click();
  await page.getByText("This page is not here yet").waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/admin/prices");
  await page.unroute("**/console/**");
  await page.getByRole("heading", { name: "Prices", level: 1 }).waitFor();
  expect(await banner.count()).toBe(0);
});

test("a proxy that does not reach the gateway is the gateway being gone", async () => {
  const visitor = await browser.visit(gateway.url, { expected: GONE });
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/settings");
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.route("**/console/api/**", (route) =>
    route.fulfill({ status: 502, contentType: "text/html", body: "<h1>502 Bad Gateway</h1>" }),
  );
  const banner = page.getByText("The gateway cannot be reached. What you see may be out of date");
  await banner.waitFor();
  await page.unroute("**/console/api/**");
  await banner.waitFor({ state: "detached" });
});
