import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Entry } from "../../../contract/credits.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { signIn } from "../../support/sign-in.ts";

/** The network takes an answer away: what was booked is shown as failed, and is booked once when it is sent again. */

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

test("a credit whose answer was lost is booked once, however often its form is sent again", async () => {
  const { id } = await gateway.admin<{ id: string }>("POST", "/accounts", { email: "lost@example.com", credit: "1" });
  const visitor = await browser.visit(gateway.url, { expected: [/ERR_CONNECTION_RESET/] });
  await signIn(visitor, gateway);
  const { page } = visitor;
  const sent: (string | undefined)[] = [];
  await page.route(`**/accounts/${id}/credits`, async (route) => {
    const request = route.request();
    if (request.method() !== "POST") return await route.continue();
    sent.push(request.headers()["idempotency-key"]);
    const answer = await route.fetch();
    expect(answer.status()).toBe(201);
    // The gateway has booked it; the browser does not get to know that, twice.
    if (sent.length < 3) await route.abort("connectionreset");
    else await route.fulfill({ response: answer });
  });

  await page.goto(`/console/admin/accounts/${id}`);
  await page.getByRole("button", { name: "Add credit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount in USD").fill("20");
  await page.keyboard.press("Enter");
  for (let failures = 1; failures <= 2; failures++) {
    await dialog.getByRole("button", { name: "Add $20.00" }).click();
    await dialog.getByRole("alert").waitFor();
    while (sent.length < failures) await page.waitForTimeout(20);
    await dialog.getByRole("button", { name: "Continue" }).click();
  }
  await dialog.getByRole("button", { name: "Add $20.00" }).click();
  await page.getByText("The balance is $21.00").waitFor();

  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  const { data } = await gateway.admin<{ data: Entry[] }>("GET", `/accounts/${id}/credits`);
  expect(data.map(({ amount_micro }) => amount_micro)).toEqual([20_000_000, 1_000_000]);
});
