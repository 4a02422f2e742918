import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkBothThemes } from "../../support/accessibility.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { signIn } from "../../support/sign-in.ts";
import { type SimulatedGateway, startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** What a new gateway's administrator has still to do, until it is done or dismissed. */

const MODELS = { "acme/echo": { upstream_model: "echo" } };

let browser: TestBrowser;
let simulated: SimulatedGateway;

beforeAll(async () => {
  [browser, simulated] = await Promise.all([launchBrowser(), startSimulatedGateway({ models: MODELS })]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await simulated?.[Symbol.asyncDispose]();
});

test("the steps are ticked off as they are done, and the list goes with the last", async () => {
  const { gateway } = simulated;
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  const list = page.getByRole("region", { name: "Set up this gateway" });
  await list.getByText("1 of 5 done").waitFor();
  expect(await list.getByRole("link").allTextContents()).toEqual([
    ...["Add credit to an account", "Create a key"],
    ...["Make the first request", "Invite a colleague"],
  ]);
  await checkBothThemes(page);

  const key = await gateway.newKey();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: "acme/echo", max_tokens: 20, messages: [{ role: "user", content: "Buen camino" }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
  await page.reload();
  await list.getByText("4 of 5 done").waitFor();
  await gateway.admin("POST", "/invitations", { email: "colleague@example.com" });
  await page.reload();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await list.count()).toBe(0);
});

test("whoever dismisses the list does not see it again, and members never do", async () => {
  await using fresh = await startSimulatedGateway({ models: MODELS });
  const { gateway } = fresh;
  const visitor = await browser.visit(gateway.url);
  const { page } = visitor;
  await signIn(visitor, gateway);
  await page.goto("/console/");
  const list = page.getByRole("region", { name: "Set up this gateway" });
  await list.getByRole("button", { name: "Dismiss" }).click();
  await list.waitFor({ state: "detached" });
  await page.reload();
  await page.waitForLoadState("networkidle");
  expect(await list.count()).toBe(0);

  const { id } = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "member@example.com" });
  const member = await browser.visit(gateway.url);
  await signIn(member, gateway, { role: "member", account: id });
  await member.page.goto("/console/");
  await member.page.getByRole("heading", { name: "Overview" }).waitFor();
  await member.page.waitForLoadState("networkidle");
  expect(await member.page.getByRole("region", { name: "Set up this gateway" }).count()).toBe(0);
});
