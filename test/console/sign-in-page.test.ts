import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkAccessibility } from "../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { screenshot } from "../support/screenshot.ts";

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

describe.each(["light", "dark"] as const)("in %s", (theme) => {
  test("whoever is not signed in is led to the sign-in page, which everybody can use", async () => {
    const visitor = await browser.visit(gateway.url, { theme });
    const { page } = visitor;
    await page.goto("/console/keys?sort=-name");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const url = new URL(page.url());
    expect(url.pathname).toBe("/console/sign-in");
    expect(url.searchParams.get("return")).toBe("/keys?sort=-name");
    expect(await page.title()).toBe("Sign in · Camino");
    await checkAccessibility(page);
    if (theme === "light") await screenshot(page, "sign-in");
  });
});

test("a link that is not valid says so, and leads to another way in", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await page.goto("/console/sign-in#token=made-up");
  await page.getByText("This link does not work").waitFor();
  await checkAccessibility(page);
  await page.getByRole("button", { name: "Sign in another way" }).click();
  await page.getByLabel("Password").waitFor();
});

test("a wrong password is refused in the form", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await page.goto("/console/sign-in");
  await page.getByLabel("E-mail").fill("nobody@example.com");
  await page.getByLabel("Password").fill("wrong-password");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
});
