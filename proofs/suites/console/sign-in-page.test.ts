import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkAccessibility } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

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
  test("a visitor without a session is led to the sign-in page, which is accessible", async () => {
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

test("who has forgotten their password reads what to do", async () => {
  const { page } = await browser.visit(gateway.url);
  await page.goto("/console/");
  const advice = page.getByText("Ask an administrator for a password-reset link.");
  await page.getByText("Forgot password?").waitFor();
  expect(await advice.isVisible()).toBe(false);
  await page.getByText("Forgot password?").click();
  await advice.waitFor();
  await page.getByText("camino sign-in-link").waitFor();
  await checkAccessibility(page);
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

test("a link that is pasted into the open sign-in page works, also after one that did not", async () => {
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  const invitation = { email: "pasted@example.com" };
  const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", invitation);
  const { hash } = new URL(link);
  await page.goto("/console/");
  await page.getByLabel("Password").waitFor();
  const url = new URL("/console/sign-in", gateway.url).href;
  await page.goto(`${url}#token=made-up`);
  await page.getByText("This link does not work").waitFor();
  await page.goto(url + hash);
  await page.getByRole("heading", { name: "Welcome to Camino" }).waitFor();
  expect(await page.getByLabel("E-mail").inputValue()).toBe(invitation.email);
  await page.getByLabel("Password").fill("a long password");
  await page.getByRole("button", { name: "Accept and sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
});

test("the gateway's bare address leads a browser to the console, and a program to its answer of ever", async () => {
  const { page } = await browser.visit(gateway.url);
  await page.goto("/");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const asked = (accept: string, method = "GET") =>
    fetch(gateway.url, { method, headers: { accept }, redirect: "manual" });
  const answer = await asked("text/html,application/xhtml+xml,*/*;q=0.8");
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/console/"]);
  expect([answer.headers.get("vary"), answer.headers.get("cache-control")]).toEqual(["accept", "no-store"]);
  for (const accept of ["*/*", "application/json"]) expect((await asked(accept)).status).toBe(404);
  expect((await asked("text/html", "POST")).status).toBe(404);
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

describe("in a window that another visitor had before", () => {
  const LEFT = `JSON.stringify({ referrer: document.referrer, width: innerWidth, theme: document.documentElement.dataset.theme,
    stored: [localStorage.length, sessionStorage.getItem("left")] })`;
  let before = "";
  let window: unknown;
  let heard = 0;

  test("the first visitor signs in, stores data, and changes the window's size, theme and routes", async () => {
    const visitor = await browser.visit(gateway.url, { locale: "es-ES" });
    const { page, context } = visitor;
    await page.goto("/console/");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    before = await page.evaluate<string>(LEFT);
    window = context;
    await signIn(visitor, gateway);
    await page.goto("/console/");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.evaluate('localStorage.setItem("camino-theme", "dark"); sessionStorage.setItem("left", "behind")');
    await page.setViewportSize({ width: 700, height: 500 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.route("**/console/api/**", (route) => route.abort());
    await context.route("**/console/**", (route) => route.abort());
    page.on("request", () => {
      heard += 1;
    });
  });

  test("the second visitor is signed out, and finds the window as new", async () => {
    const { page, context } = await browser.visit(gateway.url, { locale: "es-ES" });
    expect(context === window).toBe(true);
    expect(await context.cookies()).toEqual([]);
    heard = 0;
    await page.goto("/console/");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.evaluate<string>(LEFT)).toBe(before);
    expect(heard).toBe(0);
  });
});
