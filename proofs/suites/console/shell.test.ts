import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { checkAccessibility } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { signIn } from "../../support/sign-in.ts";

/** The frame of every page: navigation by mouse, keyboard and on a phone, the palette, the account, the theme. */

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

describe("by keyboard", () => {
  test("the first stop skips the navigation, and two keys lead to any page", async () => {
    const visitor = await browser.visit(gateway.url);
    const { page } = visitor;
    await signIn(visitor, gateway);
    await page.goto("/console/");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to the content");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe("main");
    expect(await page.title()).toBe("Settings · Camino");
  });

  test("the palette finds pages and models, and gives the focus back when it is closed", async () => {
    const visitor = await browser.visit(gateway.url);
    const { page } = visitor;
    await signIn(visitor, gateway);
    await page.goto("/console/settings");
    const name = page.getByLabel("Name", { exact: true });
    await name.focus();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox", { name: "Go to" });
    await search.waitFor();
    await page.getByRole("option", { name: /sim\/echo/ }).waitFor();
    await checkAccessibility(page);
    await search.fill("a word that nothing has");
    await page.getByText("Nothing matches.").waitFor();
    await checkAccessibility(page);
    await page.keyboard.press("Escape");
    await search.waitFor({ state: "hidden" });
    expect(await page.locator(":focus").getAttribute("autocomplete")).toBe("name");
    await page.keyboard.press("Control+k");
    await search.fill("echo");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/models/sim/echo");
  });

  test("ctrl and k finds a recipe of the guide by the words of its task, before anything else", async () => {
    const visitor = await browser.visit(gateway.url);
    const { page } = visitor;
    await withGuide(page, true);
    await visitor.context.route("**/docs/guide/**", (route) => route.fulfill({ body: "The recipe." }));
    await signIn(visitor, gateway);
    await page.goto("/console/settings");
    await page.getByLabel("Name", { exact: true }).focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("forgot password");
    await page.getByRole("option", { name: /Reset a password/ }).waitFor();
    const opened = page.waitForEvent("popup");
    await page.keyboard.press("Enter");
    const recipe = await opened;
    await recipe.waitForURL("**/docs/guide/how-to/reset-a-password");
    await recipe.getByText("The recipe.").waitFor();
  });

  test("? shows every shortcut, but not while the user types in a field", async () => {
    const visitor = await browser.visit(gateway.url);
    const { page } = visitor;
    await signIn(visitor, gateway);
    await page.goto("/console/settings");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await page.getByLabel("Name", { exact: true }).press("?");
    expect(await help.count()).toBe(0);
    await page.locator("main").focus();
    await page.keyboard.press("?");
    await help.waitFor();
    await checkAccessibility(page);
  });
});

test("on a phone the navigation is in a drawer, which closes when a page is chosen", async () => {
  const visitor = await browser.visit(gateway.url, { device: "phone", theme: "dark" });
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  await page.getByRole("button", { name: "Menu" }).click();
  const drawer = page.getByRole("dialog", { name: "Menu" });
  await checkAccessibility(page);
  await drawer.getByRole("link", { name: "Models" }).click();
  await page.waitForURL("**/console/models");
  await drawer.waitFor({ state: "hidden" });
});

test("an administrator chooses the account that is shown, and every link keeps it", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  const account = await gateway.admin<{ id: string }>("POST", "/accounts", {
    email: "other@example.com",
    credit: "7.25",
  });
  await signIn(visitor, gateway, { account: "demo@camino.local" });
  await page.goto("/console/");
  await page.getByText("$10.00").waitFor();
  await page.getByRole("button", { name: /^Account .*Demo$/ }).click();
  await page.getByRole("combobox").fill("other@");
  // What is found comes from the gateway, and Enter takes what is shown.
  await page.getByRole("option", { name: /demo@camino\.local/ }).waitFor({ state: "detached" });
  await page.getByRole("option", { name: /other@example\.com/ }).waitFor();
  await page.keyboard.press("Enter");
  // The list that is left may show the credit as well.
  await page.waitForURL((url) => url.searchParams.get("account") === account.id);
  await page.getByText("$7.25").waitFor();
  await page.getByRole("link", { name: "Usage", exact: true }).click();
  await page.waitForURL(`**/console/usage?account=${account.id}`);
});

test("a member sees neither the gateway's pages nor other accounts", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway, { role: "member" });
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(await page.getByRole("link", { name: "Accounts" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: /^Account/ }).count()).toBe(0);
  await page.goto("/console/admin/accounts");
  await page.getByText("There is no such page").waitFor();
  await checkAccessibility(page);
});

test("an address that no page has keeps the navigation", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway, { role: "member" });
  await page.goto("/console/nowhere/at/all");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await checkAccessibility(page);
  await page.getByRole("navigation").getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
});

test("the theme is the system's until the user chooses another, which is kept", async () => {
  const visitor = await browser.visit(gateway.url, { theme: "dark" });
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  await page.locator("html[data-theme=dark]").waitFor();
  await page.getByRole("button", { name: /Ana Lima (Administrator|Owner)$/ }).click();
  await checkAccessibility(page);
  await page.getByRole("menuitemradio", { name: "Light" }).click();
  await page.locator("html[data-theme=light]").waitFor();
  await page.reload();
  await page.locator("html[data-theme=light]").waitFor();
});

test("every page of an administrator is in the sidebar of a laptop, 720 pixels high, without scrolling", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("/console/");
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Audit log" }).waitFor();
  const measure =
    "(() => { const e = document.querySelector('nav[aria-label=Main]'); return e.scrollHeight - e.clientHeight; })()";
  const hidden = await page.evaluate(measure);
  await page.setViewportSize({ width: 1280, height: 860 });
  expect(hidden).toBe(0);
});

test("where motion is reduced, nothing changes gradually", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const gradual = `[...document.querySelectorAll("*")].filter((element) => {
    const { transitionProperty, transitionDuration } = getComputedStyle(element);
    return transitionProperty !== "none" && /[1-9]/.test(transitionDuration);
  }).length`;
  expect(await page.evaluate<number>(gradual)).toBe(0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await page.evaluate<number>(gradual)).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
});

test("the head of a page leads to its place in the guide, and the user's menu to the guide and the API reference, in tabs of their own", async () => {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  const { page } = visitor;
  await withGuide(page, false);
  await page.goto("/console/admin/configuration");
  await page.getByRole("heading", { name: "Configured models", level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("link", { name: /^Guide/ }).count()).toBe(0);
  await withGuide(page, true);
  await page.reload();
  const link = page.getByRole("main").getByRole("link", { name: /^Guide/ });
  expect(await link.getAttribute("href")).toBe("/docs/guide/configuration#configuration-in-the-database");
  expect(await link.getAttribute("target")).toBe("_blank");
  await page.getByRole("button", { name: /administrator$/i }).click();
  const [reference] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("menuitem", { name: "API reference" }).click(),
  ]);
  await reference.waitForURL(/\/docs$/);
  await reference.close();
});

/** Has the page believe that the guide is built, or is not: that takes half a minute. */
async function withGuide(page: Page, guide: boolean): Promise<void> {
  await page.route("**/console/api/session/methods", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), guide } });
  });
}
