import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI from "openai";
import { formatAllDigits } from "../../../console/src/kit/format.ts";
import { minuteText, wallTime } from "../../../console/src/kit/wall-time.ts";
import type { ReceiptDetail, ReceiptList } from "../../../contract/requests.ts";
import { checkAccessibility, checkBothThemes } from "../../support/accessibility.ts";
import type { TestBrowser, VisitOptions } from "../../support/browser.ts";
import { type ConsoleScene, startConsoleScene } from "../../support/console-scene.ts";
import type { Gateway } from "../../support/gateway.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";

/** Requests, updated live, and receipts, exact to the micro unit. */

setDefaultTimeout(60_000);

const QUESTION = "Which stage of the way is the longest, and where does one sleep? ".repeat(40);

let scene: ConsoleScene;
let browser: TestBrowser;
let gateway: Gateway;

const billed = (micro: number) => formatAllDigits(micro, "USD", { aligned: true, locale: "en-US" });

beforeAll(async () => {
  scene = await startConsoleScene();
  ({ browser, gateway } = scene);
});

afterAll(() => scene?.[Symbol.asyncDispose]());

const member = (options?: VisitOptions) => scene.member(options);

const makeKey = (account: string, fields: object) => scene.makeKey(account, fields);

function clientOf(key: { key: string }): OpenAI {
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.key, maxRetries: 0 });
}

const ask = (openai: OpenAI, model: string) =>
  openai.chat.completions.create({ model, max_tokens: 100, messages: [{ role: "user", content: QUESTION }] });

test("a request is seen running, then ended and charged, without a reload", async () => {
  const { page, account } = await member();
  await page.goto("/console/requests");
  await page.getByText("No requests yet").waitFor();
  await checkBothThemes(page);
  const openai = clientOf(await makeKey(account, { name: "Chat window" }));
  for (const model of ["anthropic/claude-opus-4-6", "openai/gpt-5.4", "openai/gpt-5.4-flaky", "google/gemini-3-flash"])
    await ask(openai, model);
  await ask(openai, "openai/gpt-5.4-down").catch(() => undefined);
  const leaving = new AbortController();
  const stream = await openai.chat.completions.create(
    { model: "google/gemini-3-slow", stream: true, messages: [{ role: "user", content: QUESTION }] },
    { signal: leaving.signal },
  );
  const reading = (async () => {
    for await (const _chunk of stream);
  })().catch(() => undefined);
  const row = page.getByRole("table", { name: "Requests" }).getByRole("row", { name: /google\/gemini-3-slow/ });
  await page.getByRole("heading", { name: "1 request is running" }).waitFor();
  await row.getByText("running").waitFor();
  expect(await row.textContent()).toContain("held");
  await checkBothThemes(page);
  await screenshot(page, "requests");
  leaving.abort();
  await reading;
  await row.getByText("left").waitFor();
  await page.getByRole("heading", { name: "1 request is running" }).waitFor({ state: "detached" });
  expect(await row.textContent()).not.toContain("held");
});

test("a receipt has every line of its charge, which adds up, and the attempts and times behind it", async () => {
  const { page, account } = await member();
  const key = await makeKey(account, {
    name: "Chat window",
    aliases: [{ name: "best", model: "anthropic/claude-opus-4-6" }],
  });
  await ask(clientOf(key), "best");
  await page.goto("/console/requests");
  await page.getByRole("link", { name: "anthropic/claude-opus-4-6" }).click();
  await page.getByRole("heading", { name: "anthropic/claude-opus-4-6", level: 1 }).waitFor();
  const { data } = await gateway.admin<ReceiptList>("GET", `/requests?account=${account}`);
  const receipt = await gateway.admin<ReceiptDetail>("GET", `/requests/${data[0]?.id}`);
  const table = page.getByRole("table", { name: "Token classes and what they cost" });
  const amounts = (await table.locator("td:last-child").allTextContents()).map((text) => text.replace(/[^\d.]/g, ""));
  const [total = 0, ...lines] = amounts.map(Number).toReversed();
  expect(lines.length).toBeGreaterThan(1);
  const sum_micro = lines.reduce((sum, line) => sum + line, 0) * 1e6;
  expect(Math.ceil(Number(sum_micro.toFixed(6)))).toBe(Math.round(total * 1e6));
  expect(Math.round(total * 1e6)).toBe(receipt.charge_micro);
  const charge = page.getByRole("region", { name: "Charge" });
  expect(await charge.textContent()).toContain(`Charged${billed(receipt.charge_micro)}`);
  expect(await charge.textContent()).toContain(billed(receipt.hold_micro));
  expect(await charge.textContent()).toContain(receipt.price.version);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    charge.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`charge-${receipt.id}.csv`);
  const [head, ...rows] = (await Bun.file(await download.path()).text()).trim().split("\r\n");
  expect(head).toBe("What,Count,Price,Amount in USD");
  expect(rows.map((line) => Number(line.split(",").at(-1)).toFixed(12))).toEqual(
    receipt.lines.map(({ exact_micro }) => (Number(exact_micro) / 1e6).toFixed(12)),
  );
  expect(rows.map((line) => Number(line.split(",")[1]))).toEqual(receipt.lines.map(({ count }) => count));
  await page.getByRole("table", { name: "Attempts" }).getByRole("rowheader", { name: "anthropic" }).waitFor();
  await page.getByText("anthropic, to the first byte").waitFor();
  await page.getByRole("button", { name: `Copy ${receipt.id}` }).click();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(receipt.id);
  await checkBothThemes(page);
  await page.getByRole("region", { name: "Details" }).getByRole("link", { name: "Chat window" }).click();
  await page.getByRole("heading", { name: "Chat window", level: 1 }).waitFor();
});

test("a receipt shows failed attempts, and a failed request", async () => {
  const { page, account } = await member();
  const openai = clientOf(await makeKey(account, { name: "Importer" }));
  const stream = await openai.chat.completions.create({
    model: "openai/gpt-5.4-busy",
    stream: true,
    messages: [{ role: "user", content: QUESTION.slice(0, 200) }],
  });
  for await (const _chunk of stream);
  await ask(openai, "openai/gpt-5.4-down").catch(() => undefined);
  await page.goto("/console/requests");
  await page.getByRole("link", { name: "openai/gpt-5.4-busy" }).click();
  await page.getByRole("table", { name: "Attempts" }).getByText("503", { exact: true }).waitFor();
  await page.getByText("1. openai, failed").waitFor();
  await page.getByText("2. openai, to the first byte").waitFor();
  await checkBothThemes(page);
  await screenshot(page, "request");
  await page.goBack();
  await page.getByRole("link", { name: "openai/gpt-5.4-down" }).click();
  await page.getByText("Nothing was used").waitFor();
  await page.getByRole("table", { name: "Attempts" }).getByText("400", { exact: true }).waitFor();
  await checkBothThemes(page);
});

test("a decision's receipt charges the input only, and shows the operator's cost of the calls behind it", async () => {
  const { page, account } = await member();
  const key = await makeKey(account, { name: "Triage" });
  const decide = (model: string) =>
    fetch(`${gateway.url}/v1/decisions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        input: "My invoice was charged twice.",
        questions: [{ type: "predicate", instructions: "Is the customer asking for money back?" }],
      }),
    });
  const response = await decide("typesafe/decider");
  expect(response.status).toBe(200);
  await page.goto(`/console/requests/${response.headers.get("x-request-id")}`);
  await page.getByRole("rowheader", { name: "Input", exact: true }).waitFor();
  expect(await page.getByRole("rowheader", { name: "Output" }).count()).toBe(0);
  expect(await page.getByText("Cost of the calls behind the decision").count()).toBe(0);
  await checkBothThemes(page);

  const made = await decide("openai/triage");
  await page.goto(`/console/requests/${made.headers.get("x-request-id")}`);
  const receipt = await gateway.admin<ReceiptDetail>("GET", `/requests/${made.headers.get("x-request-id")}`);
  expect(receipt.upstream_cost_micro).toBeGreaterThan(0);
  const behind = page.getByText("Cost of the calls behind the decision").locator("..");
  expect(await behind.textContent()).toContain(billed(receipt.upstream_cost_micro ?? 0));
  await page.getByText("Calls of a decision, together for each route.").waitFor();
  await checkBothThemes(page);
});

test("requests are found by every filter, in the address, and older ones are loaded", async () => {
  const { page, account } = await member();
  const [chat, batch] = await Promise.all([makeKey(account, { name: "Chat" }), makeKey(account, { name: "Batch" })]);
  const many = Array.from({ length: 58 }, () => ask(clientOf(batch), "google/gemini-3-flash"));
  await Promise.all(many);
  await ask(clientOf(chat), "openai/gpt-5.4");
  await clientOf(chat).responses.create(
    { model: "openai/gpt-5.4-mini", input: "Hello" },
    { headers: { "x-request-id": "my-own-id-1" } },
  );
  await page.goto("/console/requests");
  await page.getByText("50 requests so far").waitFor();
  await page.getByRole("button", { name: "Load older" }).click();
  await page.getByText("60 requests", { exact: true }).waitFor();
  const rows = page.getByRole("table", { name: "Requests" }).getByRole("rowheader");
  const expectRows = async (count: number) => {
    await page.getByText(`${count} request${count === 1 ? "" : "s"}`, { exact: true }).waitFor();
    expect(await rows.count()).toBe(count);
  };
  await page.getByRole("combobox", { name: "Key" }).click();
  await page.keyboard.type("chat");
  await page.getByRole("listbox").getByRole("option", { name: /^Chat/ }).click();
  await expectRows(2);
  await page.getByLabel("Endpoint").selectOption("responses");
  await expectRows(1);
  await page.getByLabel("Time").selectOption("hour");
  await page.getByLabel("Status").selectOption("answered");
  await page.waitForURL(/status=answered/);
  await expectRows(1);
  await page.reload();
  await expectRows(1);
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("No request matches").waitFor();
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await page.getByText("50 requests so far").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("my-own");
  await expectRows(1);
  await page.getByLabel("Find by request id").fill("re");
  await page.getByText("Type the beginning of an id").waitFor();
});

test("the requests of a minute are found by the reader's own clock, and a link to them means the same elsewhere", async () => {
  const zone = "Australia/Adelaide";
  const { page, account } = await member({ zone });
  const key = await makeKey(account, { name: "Chat" });
  await ask(clientOf(key), "openai/gpt-5.4-down").catch(() => undefined);
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}` },
    body: JSON.stringify({ model: "openai/nothing", messages: [{ role: "user", content: "Hello!" }] }),
  }).then((answer) => answer.text());
  const { data } = await gateway.admin<ReceiptList>("GET", `/requests?account=${account}`);
  const [request] = data;
  const minute_ms = Math.floor(Date.parse(request?.created_at ?? "") / 60_000) * 60_000;
  const clock = (minutes: number) => wallTime(zone, minute_ms + minutes * 60_000);
  const row = page.getByRole("table", { name: "Requests" }).getByRole("row", { name: /gpt-5.4-down/ });
  await page.goto("/console/requests");
  await row.waitFor();

  await page.getByLabel("Time").selectOption("custom");
  await page.getByText(`Times are in ${zone}.`).waitFor();
  const [from, to] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
  // The whole day, of which only the hours are left to type.
  const today = wallTime(zone, Date.now()).slice(0, 10);
  expect([await from.inputValue(), await to.inputValue()]).toEqual([`${today}T00:00`, `${today}T23:59`]);
  await from.fill(clock(0));
  await to.fill(clock(0));
  await page.waitForURL((url) => url.searchParams.get("to") === minuteText(minute_ms));
  await row.waitFor();
  // The time of day stands in the row, with the reader's hour.
  const shown = new Intl.DateTimeFormat("en-US", { timeZone: zone, hour: "numeric", minute: "2-digit" });
  const [hour_and_minute = ""] = shown.format(minute_ms).split(/\s/);
  expect(await row.locator("time").textContent()).toContain(`${hour_and_minute}:`);
  await checkBothThemes(page);
  await screenshot(page, "requests-of-a-minute");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download CSV" }).click(),
  ]);
  const lines = (await Bun.file(await file.path()).text()).trim().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",")[0])).toEqual([request?.id]);
  const elsewhere = new URL(page.url());

  await from.fill(clock(1));
  await page.getByText("“From” is after “To”").waitFor();
  await to.fill(clock(2));
  await page.getByText("No request matches").waitFor();

  // Of refused requests, too, which have no tags.
  await page.getByLabel("Status").selectOption("refused");
  await page.getByText("Nothing was refused").waitFor();
  await from.fill(clock(-1));
  await page.getByRole("table", { name: "Refused requests" }).getByText("model_not_found").waitFor();
  await page.getByLabel("Tag, as team=search").fill("team=search");
  await page.getByText("Refused requests are not told apart by tag").waitFor();

  const other = await browser.visit(gateway.url, { zone: "America/New_York" });
  await signIn(other, gateway, { role: "member", account });
  await other.page.goto(`${elsewhere.pathname}${elsewhere.search}`);
  await other.page
    .getByRole("table", { name: "Requests" })
    .getByRole("row", { name: /gpt-5.4-down/ })
    .waitFor();
  const seen = await other.page.getByLabel("From", { exact: true }).inputValue();
  expect(seen).toBe(wallTime("America/New_York", minute_ms));
});

test("the list and a receipt fit a phone", async () => {
  const { page, account } = await member({ device: "phone" });
  const key = await makeKey(account, { name: "Chat" });
  await ask(clientOf(key), "anthropic/claude-opus-4-6");
  await page.goto("/console/requests");
  const link = page.getByRole("link", { name: "anthropic/claude-opus-4-6" });
  await link.waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await checkAccessibility(page);
  await link.click();
  await page.getByRole("table", { name: "Attempts" }).waitFor();
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await checkAccessibility(page);
});

test("a request of another account does not exist", async () => {
  const { page } = await member();
  const other = await gateway.newKey();
  const response = await ask(clientOf(other), "openai/gpt-5.4-mini").asResponse();
  await page.goto(`/console/requests/${response.headers.get("x-request-id")}`);
  await page.getByText("There is no such request").waitFor();
});

test("a refused request is found by the client's id, with the model that was asked for and the answer", async () => {
  const { page, account } = await member();
  const openai = clientOf(await makeKey(account, { name: "Chat window" }));
  const headers = { "x-request-id": "why-was-this-refused" };
  const asked = { model: "openai/gpt-99", messages: [{ role: "user", content: QUESTION }] } as const;
  await openai.chat.completions.create({ ...asked, messages: [...asked.messages] }, { headers }).catch(() => undefined);
  const found = () => gateway.admin<ReceiptList>("GET", `/requests?account=${account}`);
  while ((await found()).refused.length === 0) await Bun.sleep(100);
  await page.goto("/console/requests");
  const row = page.getByRole("table", { name: "Requests" }).getByRole("row", { name: /openai\/gpt-99/ });
  await row.waitFor();
  await page.getByLabel("Find by request id").fill("why-was-this");
  await page.waitForURL(/q=why-was-this/);
  await row.getByText("Refused").waitFor();
  await row.getByRole("link", { name: "openai/gpt-99" }).click();
  await page.getByText("404 model_not_found (model)").waitFor();
  await page.getByText("why-was-this-refused").waitFor();
  await checkBothThemes(page);
});

test("a request that was refused before its body was read says so in the place of its model", async () => {
  const { page, account } = await member();
  const openai = clientOf(await makeKey(account, { name: "Once a minute", rpm: 1 }));
  for (let calls = 0; calls < 2; calls += 1) await ask(openai, "openai/gpt-5.4-mini").catch(() => undefined);
  const found = () => gateway.admin<ReceiptList>("GET", `/requests?account=${account}`);
  while ((await found()).refused.length === 0) await Bun.sleep(100);
  await page.goto("/console/requests");
  const requests = page.getByRole("table", { name: "Requests" });
  await requests.getByRole("link", { name: "model not read" }).click();
  await page.getByRole("heading", { name: /model not read/ }).waitFor();
  await page.getByText("429 rate_limit_exceeded").waitFor();
});
