import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { checkBothThemes } from "../../support/accessibility.ts";
import { DEVICES, type TestBrowser } from "../../support/browser.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import type { Gateway, TestKey } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** What was said, on a request's receipt (docs/rulings.md 184). */

setDefaultTimeout(60_000);

let scene: ConsoleScene;
let browser: TestBrowser;
let gateway: Gateway;

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ browser, gateway } = scene);
});
afterAll(() => scene?.[Symbol.asyncDispose]());

async function ask({ key }: TestKey, content: string, fields: object = {}): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content }], ...fields }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  return answer.headers.get("x-camino-request-id") ?? "";
}

async function visit(account: string, account_role: "owner" | "viewer") {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway, { role: "member", account, account_role });
  return visitor.page;
}

test("an owner switches it on where nothing is kept, and reads the next request, which the audit log has", async () => {
  const key = await gateway.newKey();
  const page = await visit(key.account, "owner");
  await page.goto(`/console/requests/${await ask(key, "before")}`);
  const card = page.getByRole("region", { name: "What was said" });
  await card.getByRole("button", { name: "Show what was said" }).click();
  await card.getByText("Nothing is kept of this request").waitFor();
  await card.getByRole("button", { name: "Keep it for this key from now on" }).click();
  await page.getByText("What this key's requests say is kept from now on").waitFor();

  const id = await ask(key, "a question that is kept");
  await page.goto(`/console/requests/${id}`);
  await card.getByRole("button", { name: "Show what was said" }).click();
  await card.getByRole("region", { name: "Request" }).getByText("a question that is kept").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "what-was-said");
  await page.setViewportSize(DEVICES.phone);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  const log = await gateway.admin<{ data: { object: { id: string } }[] }>("GET", "/audit-log?action=content.read");
  expect(log.data.map(({ object }) => object.id)).toContain(id);
});

test("someone who only sees an account is not shown what was said", async () => {
  const key = await gateway.newKey();
  const page = await visit(key.account, "viewer");
  await page.goto(`/console/requests/${await ask(key, "not for viewers")}`);
  await page.getByRole("region", { name: "Details" }).waitFor();
  expect(await page.getByRole("region", { name: "What was said" }).count()).toBe(0);
});

test("an owner switches it on for the account, finds what was said, takes it along, tries it again and deletes an end user's", async () => {
  const key = await gateway.newKey({ name: "laptop" });
  const page = await visit(key.account, "owner");
  await page.goto("/console/requests");
  await page.getByRole("link", { name: "What was said" }).click();
  await page.getByText("Nobody has switched it on").waitFor();
  await page.getByRole("switch", { name: "Keep what is said in this account" }).click();
  await page.getByText("What is said is kept from now on").waitFor();
  await page.getByRole("switch", { name: "Let it be searched for words" }).click();
  await page.getByText("It may be searched").waitFor();

  const history = [
    { role: "system", content: "Answer in one line." },
    { role: "user", content: "What grows in spring?" },
    { role: "assistant", content: "Tulips." },
  ];
  const asked = { messages: [...history, { role: "user", content: "And in autumn?" }], temperature: 0.5 };
  await ask(key, "", { ...asked, user: "user-1" });
  await ask(key, "about apples", { user: "user-2" });
  await ask(key, "about pears", { user: "user-1" });
  const rows = page.getByRole("table", { name: "Contents" }).locator("tbody tr");
  for (let tries = 0; tries < 50 && (await rows.count()) < 3; tries += 1) {
    await page.reload();
    await rows.first().waitFor();
  }
  expect(await rows.count()).toBe(3);
  await checkBothThemes(page);
  await screenshot(page, "what-was-said-list");
  await page.setViewportSize(DEVICES.phone);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize(DEVICES.desktop);

  await page.getByRole("searchbox", { name: "Words that were said" }).fill("apples");
  await page.waitForURL(/words=apples/);
  await page.getByText("1 content", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByText("3 contents").waitFor();

  const href = await page.getByRole("link", { name: "Download JSON lines" }).getAttribute("href");
  const lines = await page.evaluate<string>(`fetch(${JSON.stringify(href)}).then((answer) => answer.text())`);
  expect(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).status),
  ).toEqual([200, 200, 200]);

  await rows.last().getByRole("button", { name: "Read it" }).click();
  await page.getByRole("dialog").getByText("And in autumn?").first().waitFor();
  await checkBothThemes(page);
  await screenshot(page, "what-was-said-read");
  await page.getByRole("button", { name: "Open in the playground" }).click();
  await page.waitForURL(/playground/);
  expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("And in autumn?");
  await page.getByText("Tulips.").waitFor();
  expect(await page.getByRole("textbox", { name: "System prompt" }).inputValue()).toBe("Answer in one line.");
  expect(await page.evaluate<string>("location.href")).not.toContain("autumn");

  await page.goto("/console/requests/said?user=user-1");
  await page.getByText("2 contents").waitFor();
  await page.getByRole("button", { name: "Delete an end user's" }).click();
  expect(await page.getByRole("textbox", { name: "End user's id" }).inputValue()).toBe("user-1");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Deleted what 2 requests said").waitFor();
  await page.getByText("Nothing matches").waitFor();
  await page.goto("/console/requests/said");
  await page.getByText("1 content", { exact: true }).waitFor();
  await rows.last().getByRole("button", { name: "Read it" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByRole("button", { name: "Delete it for good" }).click();
  await page.getByText("Nothing is kept so far").waitFor();
});

test("someone who only sees an account is told who reads what was said", async () => {
  const key = await gateway.newKey();
  const page = await visit(key.account, "viewer");
  await page.goto("/console/requests/said");
  await page.getByText("This is for owners").waitFor();
  await page.goto("/console/requests");
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  expect(await page.getByRole("link", { name: "What was said" }).count()).toBe(0);
});
