import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkBothThemes } from "../../support/accessibility.ts";
import { DEVICES, launchBrowser, type TestBrowser, type VisitOptions } from "../../support/browser.ts";
import { numbersIn } from "../../support/read-numbers.ts";
import { screenshot } from "../../support/screenshot.ts";
import { type Showcase, startShowcase } from "../../support/showcase.ts";
import { type PersonOptions, signIn } from "../../support/sign-in.ts";
import { stayAt } from "../../support/staying.ts";

/** Credits and corrections, as an administrator and the account's members see them. */

let browser: TestBrowser;
let showcase: Showcase;

beforeAll(async () => {
  [browser, showcase] = await Promise.all([launchBrowser(), startShowcase()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await showcase?.[Symbol.asyncDispose]();
});

async function visitCredits(person: PersonOptions, query = "", options: VisitOptions = {}) {
  const visitor = await browser.visit(showcase.gateway.url, options);
  await signIn(visitor, showcase.gateway, person);
  await visitor.page.goto(`/console/credits${query}`);
  return visitor;
}

/** An administrator at an account's credits. */
const administratorAt = (account: string) => stayAt(browser, showcase.gateway, `/credits?account=${account}`);

const newAccount = (email: string, credit?: string) =>
  showcase.gateway.admin<{ id: string }>("POST", "/accounts", { email, ...(credit === undefined ? {} : { credit }) });

test("an administrator confirms a credit with the new balance, and the account's member sees it arrive", async () => {
  const { id: account } = await newAccount("credited@example.com");
  const member = await visitCredits({ role: "member", account });
  await member.page.getByText("Nothing is booked yet").waitFor();
  await member.page.getByText("An administrator of this gateway adds credit").waitFor();
  expect(await member.page.getByRole("button", { name: "Add credit" }).count()).toBe(0);
  await checkBothThemes(member.page);

  const page = await administratorAt(account);
  await page.getByRole("button", { name: "Add credit", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Add credit" });
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Write an amount such as 25").waitFor();
  await dialog.getByLabel("Amount in USD").fill("1,000");
  await dialog.getByText("1,000 may mean 1000 or 1.00: write one of them.").waitFor();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByLabel("Amount in USD").fill("12.345678");
  await dialog.getByText("$12.345678", { exact: true }).waitFor();
  await dialog.getByLabel("Note").fill("Invoice 2026-118");
  await checkBothThemes(page);
  await page.keyboard.press("Tab");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("New balance").waitFor();
  expect(await dialog.locator("dl").textContent()).toBe("Balance now$0.00Added+$12.345678New balance$12.345678");
  await checkBothThemes(page);
  await dialog.getByRole("button", { name: "Add $12.345678" }).click();
  await page.getByText("Booked. The balance is $12.345678").waitFor();

  const ledger = member.page.getByRole("table", { name: "Ledger" });
  await ledger.getByText("Invoice 2026-118").waitFor();
  const row = (await ledger.locator("tbody tr").first().textContent()) ?? "";
  expect(row).toStartWith("creditInvoice 2026-118by an administrator");
  expect(row).toEndWith("+$12.345678$12.345678");
  await page.getByRole("table", { name: "Ledger" }).getByText("by you").waitFor();
});

test("a correction may be negative, and the API's refusal is shown in the form", async () => {
  const { id: account } = await newAccount("corrected@example.com", "5");
  const page = await administratorAt(account);
  await page.getByRole("button", { name: "Add credit or correct" }).click();
  const dialog = page.getByRole("dialog", { name: "Add credit" });
  await dialog.getByLabel("Amount in USD").fill("-2");
  expect(await dialog.getByLabel("Kind").inputValue()).toBe("correction");
  await dialog.getByLabel("Kind").selectOption("credit");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("Enter an amount above 0.").waitFor();
  await dialog.getByLabel("Kind").selectOption("correction");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Take away $2.00" }).click();
  await page.getByText("Booked. The balance is $3.00").waitFor();
  await page.getByLabel("Kind of entry").selectOption("correction");
  await page.waitForURL(/kind=correction/);
  const rows = page.getByRole("table", { name: "Ledger" }).locator("tbody tr");
  // The old rows stay until the filtered rows have loaded.
  await rows.nth(1).waitFor({ state: "detached" });
  expect(await rows.first().textContent()).toContain("-$2.000000");
  await page.getByLabel("Kind of entry").selectOption("charge");
  await page.getByText("No charges").waitFor();
});

test("a form that is clicked twice books once, and its next opening books anew", async () => {
  const { id: account } = await newAccount("once@example.com", "5");
  const { page } = await visitCredits({}, `?account=${account}`);
  const tokens: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/credits")) {
      tokens.push(request.headers()["idempotency-key"]);
    }
  });
  await page.route("**/credits", async (route) => {
    if (route.request().method() === "POST") await Bun.sleep(300);
    await route.continue();
  });
  await page.getByRole("button", { name: "Add credit or correct" }).click();
  const dialog = page.getByRole("dialog", { name: "Add credit" });
  await dialog.getByLabel("Amount in USD").fill("7");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Add $7.00" }).dblclick();
  await page.getByText("Booked. The balance is $12.00").waitFor();
  await page.getByRole("button", { name: "Add credit or correct" }).click();
  await dialog.getByLabel("Amount in USD").fill("7");
  // The second click of a double click confirms nothing that was not read.
  await dialog.getByRole("button", { name: "Continue" }).dblclick();
  await dialog.getByText("New balance").waitFor();
  expect(new Set(tokens).size).toBe(1);
  await dialog.getByRole("button", { name: "Add $7.00" }).click();
  await page.getByText("Booked. The balance is $19.00").waitFor();
  expect(tokens.every((token) => /^console-[0-9a-f]{32}$/.test(token ?? ""))).toBe(true);
  expect(new Set(tokens).size).toBe(2);
  expect(tokens.at(-1)).not.toBe(tokens[0]);
  const { data } = await showcase.gateway.admin<{ data: object[] }>("GET", `/accounts/${account}/credits`);
  expect(data).toHaveLength(3);
});

test("a correction says which entry it corrects, to its member too", async () => {
  const { id: account } = await newAccount("corrects@example.com", "5");
  const path = `/accounts/${account}/credits`;
  const { data } = await showcase.gateway.admin<{ data: { id: string }[] }>("GET", path);
  const body = { amount: "-1.5", kind: "correction", corrects: data[0]?.id, note: "Credited twice" };
  await showcase.gateway.admin("POST", path, body);
  const { page } = await visitCredits({ role: "member", account });
  for (const device of ["desktop", "phone"] as const) {
    await page.setViewportSize(DEVICES[device]);
    const row = page.getByRole("table", { name: "Ledger" }).locator("tbody tr").first();
    await row.getByText(`corrects ${data[0]?.id}`).waitFor();
    await checkBothThemes(page);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  }
});

test("a rule for automatic top-ups is set, shown to the member, changed and removed", async () => {
  const { id: account } = await newAccount("automatic@example.com", "1");
  const page = await administratorAt(account);
  await page.getByRole("button", { name: "Set a rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("When the balance would fall below").fill("10");
  await dialog.getByLabel("Add (USD)").fill("5");
  await dialog.getByLabel("Monthly maximum").fill("50");
  await dialog.getByRole("button", { name: "Set rule" }).click();
  await dialog.getByText("too small; allowed: 10.00, the threshold, or more").waitFor();
  await checkBothThemes(page);
  await dialog.getByLabel("Add (USD)").fill("20");
  await dialog.getByRole("button", { name: "Set rule" }).click();
  await page.getByText("When the balance would fall below $10.00, $20.00 is added.").waitFor();
  await checkBothThemes(page);

  const member = await visitCredits({ role: "member", account });
  await member.page.getByText("$20.00 is added").waitFor();
  await member.page.getByText("$0.00 of $50.00").waitFor();
  expect(await member.page.getByRole("button", { name: "Change" }).count()).toBe(0);

  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove rule" }).click();
  await page.getByText("Automatic top-up removed").waitFor();
  await page.getByText("Adds credit automatically").waitFor();
});

test("a long ledger is exact, comes in pages, and leads to each charge's request", async () => {
  const { account, gateway } = showcase;
  await gateway.admin("PUT", `/credits/auto-top-up?account=${account}`, {
    threshold: "10",
    amount: "25",
    month_limit: "100",
  });
  await gateway.admin("POST", `/accounts/${account}/credits`, { amount: "25", note: "Invoice 2026-118" });
  const visitor = await visitCredits({ role: "member", account });
  const { page } = visitor;
  const rows = page.getByRole("table", { name: "Ledger" }).locator("tbody tr");
  await page.getByText("50 entries so far").waitFor();
  const charge = rows.nth(1).locator("data").first();
  expect(await charge.textContent()).toMatch(/^-\$0\.\d{6}$/);
  await charge.hover();
  await page
    .getByRole("tooltip")
    .getByText(/^-0\.\d{6} USD · -[\d,]+ micro$/)
    .waitFor();
  await page.mouse.move(0, 0);
  await checkBothThemes(page);
  await screenshot(page, "credits");
  const older = page.getByRole("button", { name: "Load older" });
  for (let loaded = 100; await older.isVisible(); loaded += 50) {
    await older.click();
    await page.getByText(new RegExp(`^(${loaded} entries so far|\\d+ entries)$`)).waitFor();
  }
  expect(await rows.count()).toBeGreaterThan(50);
  const sums = await numbersIn(rows.locator("td:last-child data"));
  const amounts = await numbersIn(rows.locator("td:nth-last-child(2) data"));
  for (const [index, sum] of sums.entries()) expect(sum - (amounts[index] ?? 0)).toBe(sums[index + 1] ?? 0);
  await rows
    .nth(1)
    .getByRole("link", { name: /^request …/ })
    .click();
  await page.waitForURL(/\/console\/requests\/req_/);
});

test("amounts and times are written in English, as the words around them are", async () => {
  const { id: account } = await newAccount("locale@example.com", "1234.5");
  const { page } = await visitCredits({ role: "member", account }, "", { locale: "de-DE" });
  const amount = page.getByRole("table", { name: "Ledger" }).locator("tbody tr").first().locator("data").first();
  expect(await amount.textContent()).toBe("+$1,234.500000");
  const row = await page.getByRole("table", { name: "Ledger" }).locator("tbody tr").first().textContent();
  expect(row).toMatch(/[A-Z][a-z]{2} \d+, \d+:\d\d:\d\d\s[AP]M/);
});

test("on a phone nothing scrolls sideways", async () => {
  const visitor = await visitCredits({ role: "member", account: showcase.account }, "", { device: "phone" });
  const { page } = visitor;
  await page.getByText("50 entries so far").waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await checkBothThemes(page);
});
