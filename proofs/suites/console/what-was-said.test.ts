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

async function ask({ key }: TestKey, content: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content }] }),
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
