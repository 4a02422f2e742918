import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import type { UserList } from "../../../contract/users.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser, type Visitor } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { screenshot } from "../../support/screenshot.ts";
import { type Person, signIn } from "../../support/sign-in.ts";

/** A session ends on the server while its page is open: the page says so, keeps what was typed, and goes on for its own user alone. */

setDefaultTimeout(60_000);

let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
  // The last administrator cannot be disabled.
  await invite(gateway, { role: "administrator" });
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

const ENDED = "Your session has ended";
/** What the browser writes about the refused calls. */
const REFUSED = [/401/];

async function enter(path: string): Promise<{ visitor: Visitor; page: Page; person: Person }> {
  const visitor = await browser.visit(gateway.url, { expected: REFUSED });
  const person = await signIn(visitor, gateway, { account: "demo@camino.local" });
  await visitor.page.goto(path);
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  return { visitor, page: visitor.page, person };
}

/** Ends all sessions of a user, as an administrator does who disables somebody for a moment. */
async function endSessions({ email }: Person): Promise<void> {
  const { data } = await gateway.admin<UserList>("GET", `/users?q=${encodeURIComponent(email)}`);
  for (const status of ["disabled", "active"]) await gateway.admin("PATCH", `/users/${data[0]?.id}`, { status });
}

async function signInAgain(page: Page, { email, password }: Person): Promise<void> {
  const cover = page.getByRole("dialog", { name: ENDED });
  await cover.waitFor();
  await cover.getByLabel("E-mail").fill(email);
  await cover.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
}

test("a dialog that is sent after the end stays open with what was typed, changes nothing, and works after signing in", async () => {
  const { page, person } = await enter("/console/admin/users?tab=invitations");
  await page.getByRole("button", { name: "Invite a user" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Invite a user" });
  await dialog.getByLabel("E-mail").fill("typed@example.com");
  await dialog.getByLabel("Role").selectOption("administrator");
  await endSessions(person);
  await dialog.getByRole("button", { name: "Create invitation" }).click();

  const cover = page.getByRole("dialog", { name: ENDED });
  await cover.waitFor();
  expect(await cover.getByLabel("E-mail").inputValue()).toBe(person.email);
  expect(await page.getByText("typed@example.com").isVisible()).toBe(false);
  await page.keyboard.press("Escape");
  await checkBothThemes(page);
  await screenshot(page, "session-ended");
  await signInAgain(page, person);

  await cover.waitFor({ state: "detached" });
  await dialog.getByText("Your session had ended, so nothing was changed. Send it again.").waitFor();
  expect(await dialog.getByLabel("E-mail").inputValue()).toBe("typed@example.com");
  expect(await dialog.getByLabel("Role").inputValue()).toBe("administrator");
  const { data } = await gateway.admin<{ data: { email: string }[] }>("GET", "/invitations");
  expect(data.filter(({ email }) => email === "typed@example.com")).toEqual([]);
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await page.getByText("typed@example.com is invited").waitFor();
});

test("what was typed into a form is there when its user is back, at the same address", async () => {
  const { page, person } = await enter("/console/settings?account=");
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("A long name");
  const address = page.url();
  await endSessions(person);
  // Anything that asks the gateway meets the end.
  await page.keyboard.press("Control+k");
  await signInAgain(page, person);
  await page.getByRole("dialog", { name: ENDED }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(await name.inputValue()).toBe("A long name");
  expect(page.url()).toBe(address);
});

test("the playground keeps its settings and the conversation, and sends the message again", async () => {
  const { page, person } = await enter("/console/playground?model=sim/echo");
  await page.getByLabel("System prompt").fill("Be brief.");
  const message = page.getByLabel("Message", { exact: true });
  await message.fill("A first question");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: "Receipt" }).waitFor();
  await endSessions(person);
  await page.getByRole("button", { name: "Clear" }).click();
  await message.fill("A long question that nobody wants to type twice");
  await page.keyboard.press("Control+k");
  await signInAgain(page, person);
  await page.getByRole("dialog", { name: ENDED }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(await message.inputValue()).toBe("A long question that nobody wants to type twice");
  expect(await page.getByLabel("System prompt").inputValue()).toBe("Be brief.");
  await message.press("Control+Enter");
  await page.getByRole("link", { name: "Receipt" }).waitFor();
});

describe("where the browser sends the session's cookie no more", () => {
  test("a dialog that is sent stays open under the cover with what was typed, and works after signing in", async () => {
    const { page, person, visitor } = await enter("/console/admin/users?tab=invitations");
    await page.getByRole("button", { name: "Invite a user" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Invite a user" });
    await dialog.getByLabel("E-mail").fill("without-cookie@example.com");
    await visitor.context.clearCookies();
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await signInAgain(page, person);
    await page.getByRole("dialog", { name: ENDED }).waitFor({ state: "detached" });
    await dialog.getByText("Your session had ended, so nothing was changed. Send it again.").waitFor();
    expect(await dialog.getByLabel("E-mail").inputValue()).toBe("without-cookie@example.com");
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    await page.getByText("without-cookie@example.com is invited").waitFor();
  });

  test("a page that reads is covered, and shows what it asked for once its user is back", async () => {
    const { page, person, visitor } = await enter("/console/settings");
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Typed before");
    await visitor.context.clearCookies();
    await page.keyboard.press("Control+k");
    await signInAgain(page, person);
    await page.getByRole("dialog", { name: ENDED }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    expect(await name.inputValue()).toBe("Typed before");
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  });
});

test("a wrong password keeps the page covered", async () => {
  const { page, person } = await enter("/console/");
  await endSessions(person);
  const cover = page.getByRole("dialog", { name: ENDED });
  await signInAgain(page, { ...person, password: "not the password" });
  await cover.getByRole("alert").waitFor();
  await signInAgain(page, person);
  await cover.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
});

describe("whoever else signs in", () => {
  test("on the covered page gets a page of their own, with nothing that was typed", async () => {
    const other = await signIn(await browser.visit(gateway.url), gateway, { name: "Otto" });
    const { page, person } = await enter("/console/settings");
    await page.getByLabel("Name", { exact: true }).fill("A secret of Ana's");
    await page.evaluate("window.same_document = true");
    await endSessions(person);
    await page.keyboard.press("Control+k");
    await signInAgain(page, other);
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(await page.evaluate("window.same_document")).toBeUndefined();
    await page.goBack().catch(() => null);
    await page.goto("/console/settings");
    const name = page.getByLabel("Name", { exact: true });
    await name.waitFor();
    expect(await name.inputValue()).toBe("Otto");
  });

  test("in another tab takes this tab along, whose text goes", async () => {
    const other = await signIn(await browser.visit(gateway.url), gateway, { name: "Otto" });
    const { page, visitor } = await enter("/console/settings");
    await page.getByLabel("Name", { exact: true }).fill("A secret of Ana's");
    const tab = await visitor.context.newPage();
    await visitor.context.clearCookies();
    await tab.goto(`${gateway.url}/console/sign-in`);
    await tab.getByLabel("E-mail").fill(other.email);
    await tab.getByLabel("Password").fill(other.password);
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.goto("/console/settings");
    const name = page.getByLabel("Name", { exact: true });
    await name.waitFor();
    expect(await name.inputValue()).toBe("Otto");
    await tab.close();
  });
});

test("signing in again in another tab lets the covered page go on", async () => {
  const { page, person, visitor } = await enter("/console/settings");
  await page.getByLabel("Name", { exact: true }).fill("Typed before");
  await endSessions(person);
  await page.keyboard.press("Control+k");
  const cover = page.getByRole("dialog", { name: ENDED });
  await cover.waitFor();
  const tab = await visitor.context.newPage();
  await tab.goto(`${gateway.url}/console/sign-in?return=/sign-in-done`);
  await tab.getByLabel("E-mail").fill(person.email);
  await tab.getByLabel("Password").fill(person.password);
  await tab.keyboard.press("Enter");
  await tab.getByText("You are signed in", { exact: true }).waitFor();
  await cover.waitFor({ state: "detached" });
  await tab.close();
  await page.keyboard.press("Escape");
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed before");
});

test("who signs out is led to the sign-in page, as ever", async () => {
  const { page } = await enter("/console/");
  await page.getByRole("button", { name: /Ana Lima (Administrator|Owner)$/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByRole("dialog", { name: ENDED }).count()).toBe(0);
});
