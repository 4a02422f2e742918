import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Receipt } from "../../../contract/requests.ts";
import { checkBothThemes } from "../../support/accessibility.ts";
import { goTo, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { runCurl } from "../../support/curl.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { numbersIn } from "../../support/read-numbers.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";
import { FLAWS } from "../look/flaws.ts";

/** The playground against the real endpoints, with every model that the simulator has. */

let browser: TestBrowser;
let gateway: Gateway;
let account: string;
let key: string;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([launchBrowser(), startGateway()]);
  ({ account, key } = await gateway.newKey({ credit: "25" }));
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

/** The member at an empty playground. All tests but the phone's are one visit. */
async function memberAt(query: string): Promise<Page> {
  const { page } = await browser.stay(gateway.url, async (visitor) => {
    await signIn(visitor, gateway, { role: "member", account });
    await visitor.page.goto("/console/models");
    await visitor.page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  });
  // A conversation stays for the session.
  const clear = page.getByRole("button", { name: "Clear", exact: true });
  if ((await clear.count()) > 0) await clear.click();
  if (new URL(page.url()).pathname !== "/console/models") await goTo(page, "/console/models");
  await goTo(page, `/console/playground?${query}`);
  return page;
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Control+Enter");
}

const answerOf = (page: Page) => page.getByRole("article", { name: /^Answer of / }).last();

/** The charge that the page shows, in micro units, once it is settled. */
async function chargeOn(page: Page): Promise<number> {
  const charge = answerOf(page).locator("footer data");
  await charge.waitFor();
  return Number(await charge.getAttribute("value"));
}

async function shownCode(page: Page): Promise<string> {
  return (await page.getByRole("tabpanel").last().locator("pre").textContent()) ?? "";
}

async function runTypeScript(code: string): Promise<string> {
  const child = Bun.spawn([process.execPath, "-e", code], {
    cwd: import.meta.dir,
    env: { PATH: process.env.PATH ?? "", CAMINO_API_KEY: key },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  return child.stdout.text();
}

async function latestRequest(): Promise<Receipt> {
  const { data } = await gateway.admin<{ data: Receipt[] }>("GET", `/requests?account=${account}&limit=1`);
  const [receipt] = data;
  if (receipt === undefined) throw new Error("there is no request");
  return receipt;
}

const STYLES = [
  { style: "chat", first: '"object":"chat.completion.chunk"', last: "data: [DONE]" },
  { style: "responses", first: "event: response.created", last: "event: response.completed" },
  { style: "messages", first: "event: message_start", last: "event: message_stop" },
] as const;

describe.each(STYLES)("in the style of $style", ({ style, first, last }) => {
  test("an answer streams, with its reasoning, its raw events, its charge and its code", async () => {
    const page = await memberAt(`style=${style}&model=sim/reason`);
    await page.getByLabel("Reasoning").selectOption("low");
    await page.getByLabel("System prompt").fill("Answer like a pilgrim.");
    await ask(page, "How far is it to Santiago?");
    await answerOf(page).getByText("Simulated answer").waitFor();
    const charge = await chargeOn(page);
    const receipt = await latestRequest();
    expect(receipt).toMatchObject({ model: "sim/reason", status: "settled", stream: true, charge_micro: charge });
    expect(charge).toBeGreaterThan(0);
    await answerOf(page).getByText("Reasoning", { exact: true }).click();
    await answerOf(page).locator("details p").waitFor();
    // The page is alike in every style, so accessibility and pictures are checked in one style only.
    if (style === "messages") {
      await checkBothThemes(page);
      await screenshot(page, "playground");
    }

    await page.getByRole("tab", { name: "Raw events" }).click();
    await page.waitForURL(/tab=events/);
    const frames = page.getByRole("group", { name: "Raw events" }).locator("li");
    expect(await frames.first().locator("code").textContent()).toContain(first);
    expect(await frames.last().locator("code").textContent()).toContain(last);
    expect(await frames.first().locator("span").textContent()).toMatch(/^[\d.,]+ ms$/);
    if (style === "responses") {
      await checkBothThemes(page);
      await screenshot(page, "playground-events");
    }

    await page.getByRole("tab", { name: "Code" }).click();
    await page.getByRole("tab", { name: "Python" }).click();
    const code = await page.getByRole("tabpanel").locator("pre").textContent();
    expect(code).toContain("How far is it to Santiago?");
    expect(code).toContain("Answer like a pilgrim.");
    expect(code).not.toContain("cm-");
    await page.getByRole("tab", { name: "curl" }).click();
    const streamed = await runCurl(await shownCode(page), { CAMINO_API_KEY: key });
    expect(await streamed.text()).toContain(last);
    await page.getByRole("tab", { name: "TypeScript" }).click();
    expect(await runTypeScript(await shownCode(page))).toContain("Simulated answer: How far is it to Santiago?");
  });

  test("a conversation goes on, with tools whose results are given by hand", async () => {
    const page = await memberAt(`style=${style}&model=sim/everything`);
    await page.getByRole("button", { name: "Use an example" }).click();
    await ask(page, "What is the weather?");
    const result = page.getByRole("textbox", { name: /^Result of get_weather/ });
    await result.first().waitFor();
    for (const field of await result.all()) await field.fill("Rain in Galicia");
    if (style === "chat") {
      await checkBothThemes(page);
      await screenshot(page, "playground-tools");
    }
    await page.getByRole("button", { name: "Send results" }).click();
    await page.getByRole("article", { name: "Your tools" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await answerOf(page)
      .getByText(/^Simulated answer/)
      .waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await ask(page, "And tomorrow?");
    await chargeOn(page);
    expect((await latestRequest()).status).toBe("settled");
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("an image of this device is sent along", async () => {
    const page = await memberAt(`style=${style}&model=sim/vision`);
    await page.getByLabel("Images").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: DOT });
    await page.getByRole("img", { name: "dot.png" }).waitFor();
    await ask(page, "What is this?");
    await answerOf(page)
      .getByText(/image\/png/)
      .waitFor();
    expect(await page.getByRole("img", { name: "dot.png" }).count()).toBe(1);
  });

  test("a refusal is shown in the endpoint's own shape, and can be tried again", async () => {
    const page = await memberAt(`style=${style}&model=sim/fail-400`);
    await ask(page, "Hello");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    await alert.getByText("Status 400").waitFor();
    const body = JSON.parse((await alert.locator("pre").textContent()) ?? "") as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(style === "messages" ? ["type", "error", "request_id"] : ["error"]);
    if (style === "chat") {
      await checkBothThemes(page);
      await screenshot(page, "playground-error");
    }
    await page.getByRole("combobox", { name: "Model" }).fill("sim/echo");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Try again" }).click();
    await answerOf(page).getByText("Hello").waitFor();
    expect(await page.getByRole("article", { name: "You" }).count()).toBe(1);
  });

  test("Escape stops an answer, which stays as far as it has come and is charged", async () => {
    const page = await memberAt(`style=${style}&model=sim/slow`);
    await ask(page, "one two three four five six seven eight nine ten ".repeat(20));
    await answerOf(page).getByText("two").first().waitFor();
    await page.keyboard.press("Escape");
    await answerOf(page).getByText("stopped", { exact: true }).waitFor();
    expect(await answerOf(page).textContent()).toContain("two");
    expect(await chargeOn(page)).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Send" }).waitFor();
  });
});

test.each(["chat", "responses", "messages"])("a model that declines is shown as declining (%s)", async (style) => {
  const page = await memberAt(`style=${style}&model=sim/refuse`);
  await ask(page, "Help me");
  await chargeOn(page);
  await answerOf(page)
    .getByText(style === "messages" ? /^refusal$/ : /^Declined: /)
    .waitFor();
  if (style === "messages") await checkBothThemes(page);
});

test("coming back from a receipt finds the conversation as it was, and goes on with it", async () => {
  const page = await memberAt("style=chat&model=sim/echo");
  await ask(page, "the first question");
  await chargeOn(page);
  await answerOf(page).locator("footer").getByRole("link").click();
  await page.waitForURL(/\/console\/requests\/req_/);
  await page.goBack();
  await page.getByRole("article", { name: "You" }).getByText("the first question").waitFor();
  await ask(page, "the second question");
  await page.getByRole("article", { name: "You" }).nth(1).waitFor();
  await chargeOn(page);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await page.goBack();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  expect(await page.getByRole("article", { name: "You" }).count()).toBe(0);
});

test("an answer that breaks off stays as far as it has come and says so", async () => {
  const page = await memberAt("style=chat&model=sim/cut-mid");
  await ask(page, "one two three four five six seven eight");
  await page.getByRole("alert").waitFor();
  expect(await answerOf(page).textContent()).toContain("one");
});

test("a key that another page has replaced is renewed without a word", async () => {
  const page = await memberAt("style=chat&model=sim/echo");
  await ask(page, "first");
  await chargeOn(page);
  const { data } = await gateway.admin<{ data: { id: string; playground: boolean }[] }>(
    "GET",
    `/keys?account=${account}`,
  );
  for (const { id, playground } of data) if (playground) await gateway.admin("DELETE", `/keys/${id}`);
  await ask(page, "second");
  await answerOf(page).getByText("second").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

const DECIDERS = ["sim/decider", "sim/judge-decider"];

describe.each(DECIDERS)("decisions of %s", (model) => {
  test.each(["decisions", "systemone"])("are asked by %s and shown as bars with confidence", async (style) => {
    const page = await memberAt(`style=${style}&model=${model}`);
    await page.getByRole("button", { name: "Decide" }).click();
    const bars = page.getByRole("list", { name: /^Probabilities of/ });
    await bars.first().waitFor();
    expect(await bars.count()).toBe(3);
    expect(await page.getByRole("list", { name: "Probabilities of team" }).getByRole("listitem").count()).toBe(3);
    expect(await page.getByText(/^confidence [\d.]+%$/).count()).toBe(2);
    const shares = await numbersIn(
      page.getByRole("list", { name: "Probabilities of urgency" }).locator("[data-hint]"),
      "data-hint",
    );
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    await page.locator("footer data").waitFor();
    expect(await latestRequest()).toMatchObject({ model, endpoint: style, status: "settled" });
    if (style === "decisions" && model === "sim/decider") {
      await checkBothThemes(page);
      await bars.first().scrollIntoViewIfNeeded();
      await screenshot(page, "playground-decisions");
    }
    await page.getByRole("tab", { name: "Raw answer" }).click();
    expect(await page.getByRole("tabpanel").locator("pre").textContent()).toContain('"answers"');
    await page.getByRole("tab", { name: "Code" }).click();
    await page.getByRole("tab", { name: "curl" }).click();
    const answer = await runCurl(await shownCode(page), { CAMINO_API_KEY: key });
    expect(Object.keys((await answer.json()) as object)).toContain("answers");
    await page.getByRole("tab", { name: "TypeScript" }).click();
    expect(await runTypeScript(await shownCode(page))).toContain("probabilit");
  });
});

test("questions are built by hand: added, filled, removed, and refused where they are wrong", async () => {
  const page = await memberAt("style=decisions&model=sim/decider");
  await page.getByRole("button", { name: "Remove question 3" }).click();
  await page.getByRole("button", { name: "Remove question 2" }).click();
  await page.getByRole("button", { name: "Add a question" }).click();
  const added = page.getByRole("group", { name: "Question 2" });
  await added.getByLabel("Question", { exact: true }).selectOption("choice");
  await added.getByLabel("Name", { exact: true }).fill("mood");
  await added.getByLabel("Instructions").fill("How does the customer feel?");
  await added.getByLabel("Choice 1", { exact: true }).fill("angry");
  await added.getByLabel("Choice 2", { exact: true }).fill("angry");
  await page.keyboard.press("Control+Enter");
  await page.getByText("duplicate_choice_value", { exact: true }).waitFor();
  await added.getByLabel("Choice 2", { exact: true }).fill("calm");
  await added.getByRole("button", { name: "Add a choice" }).click();
  await added.getByLabel("Choice 3", { exact: true }).fill("happy");
  await page.keyboard.press("Control+Enter");
  const bars = page.getByRole("list", { name: "Probabilities of mood" });
  await bars.waitFor();
  expect(await bars.getByRole("listitem").count()).toBe(3);
  await page.getByLabel("Endpoint").selectOption("systemone");
  await added.getByLabel("Name", { exact: true }).fill("refund");
  await page.getByText("Two questions are called “refund”").waitFor();
  expect(await page.getByRole("button", { name: "Decide" }).isDisabled()).toBe(true);
  await checkBothThemes(page);
});

test("a question that the model refuses is shown as refused", async () => {
  const page = await memberAt("style=decisions&model=sim/decider-refusing");
  await page.getByRole("button", { name: "Decide" }).click();
  await page.getByText("refused", { exact: true }).first().waitFor();
  await checkBothThemes(page);
});

test("on a phone nothing scrolls sideways, is cut or lies over something else", async () => {
  const visitor = await browser.visit(gateway.url, { device: "phone" });
  await signIn(visitor, gateway, { role: "member", account });
  const { page } = visitor;
  await page.goto("/console/playground?style=chat&model=sim/reason");
  const width = () => page.evaluate<number>("document.documentElement.scrollWidth");
  await page.getByRole("button", { name: /^Request: sim\/reason/ }).click();
  await page.getByLabel("System prompt").waitFor();
  await ask(page, "How far is it to Santiago?");
  await chargeOn(page);
  expect(await width()).toBeLessThanOrEqual(390);
  expect(await page.evaluate<string[]>(FLAWS)).toEqual([]);
  await checkBothThemes(page);
  // However long the conversation is, the next message can be written without a way to its end.
  await page.getByRole("button", { name: /^Request: sim\/reason/ }).click();
  await ask(page, "And back? ".repeat(300));
  await chargeOn(page);
  await page.evaluate("scrollTo(0, 0)");
  const field = await page.getByLabel("Message", { exact: true }).boundingBox();
  expect(field?.y).toBeLessThan(844);
  await page.goto("/console/playground?style=decisions&model=sim/decider");
  await page.getByRole("button", { name: "Decide", exact: true }).click();
  await page
    .getByRole("list", { name: /^Probabilities of/ })
    .first()
    .waitFor();
  expect(await width()).toBeLessThanOrEqual(390);
  await checkBothThemes(page);
});

/** One red pixel. */
const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
