import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { PriceList } from "../../../contract/prices.ts";
import { launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { invite } from "../../support/people.ts";
import { type SimulatedGateway, startSimulatedGateway, VENDOR_KEY } from "../../support/simulated-gateway.ts";
import { administratorAt, Hand } from "./support/hand.ts";

/**
 * The operator's tasks beside the six most frequent ones (six-tasks.test.ts), by clicks as a person does them. `most` is what a task may take;
 * the seconds are told, and judged by nobody. A run prints the table of docs/console.md.
 */

setDefaultTimeout(120_000);

let browser: TestBrowser;
let simulated: SimulatedGateway;
/** A gateway without a file, which offers what comes with Camino. */
let fresh: Gateway;

beforeAll(async () => {
  browser = await launchBrowser();
  fresh = await startGateway();
  simulated = await startSimulatedGateway({
    models: {
      "acme/swift-1": { upstream_model: "echo", price: { input: 3, output: 15 } },
      "acme/broken": { upstream_model: "fail-500" },
    },
  });
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await simulated?.[Symbol.asyncDispose]();
  await fresh?.[Symbol.asyncDispose]();
});

interface Task {
  readonly name: string;
  readonly most: { readonly clicks: number; readonly fields: number };
  /** The page that it begins on; default: the overview. */
  readonly path?: string;
  readonly on_fresh?: true;
  /** What there is before somebody sits down to it. */
  readonly given?: () => Promise<void>;
  /** Done when it resolves: the last step waits for what shows that it worked. */
  readonly by: (hand: Hand) => Promise<void>;
}

/** A call of a new customer's key. */
async function call(model: string, id: string): Promise<number> {
  const { key } = await simulated.gateway.newKey();
  const headers = { authorization: `Bearer ${key}`, "x-request-id": id, "content-type": "application/json" };
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  const answer = await fetch(`${simulated.gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

const REFUSED_ID = "order-4711-attempt-2";
const FAILED_ID = "order-4712-attempt-1";
const NEXT_MONTH = nextMonth(new Date());

function nextMonth(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
}

const TASKS: readonly Task[] = [
  {
    name: "an account with credit",
    most: { clicks: 3, fields: 3 },
    by: async (hand) => {
      await hand.click(hand.link("Accounts"));
      await hand.click(hand.button("Create account").first());
      const dialog = hand.page.getByRole("dialog");
      await hand.type(dialog.getByLabel("E-mail"), "tasks@example.com");
      await hand.type(dialog.getByLabel(/^Name/), "Tasks");
      await hand.type(dialog.getByLabel("Opening credit"), "25");
      await hand.click(dialog.getByRole("button", { name: "Create account" }));
      await hand.page.getByText("Account created").or(hand.page.getByText("tasks@example.com")).first().waitFor();
    },
  },
  {
    name: "a key with a daily budget",
    most: { clicks: 3, fields: 2 },
    by: async (hand) => {
      await hand.click(hand.link("Keys"));
      await hand.click(hand.page.getByRole("link", { name: /^Create (a|the first) key$/ }).first());
      await hand.type(hand.page.getByRole("textbox", { name: "Name", exact: true }), "Nightly job");
      await hand.type(hand.page.getByLabel(/^Budget/).first(), "5");
      await hand.click(hand.button("Create key"));
      await hand.page.getByRole("dialog").getByText(/cm-/).first().waitFor();
    },
  },
  {
    name: "why a call was refused (4xx), with its id",
    most: { clicks: 2, fields: 1 },
    path: "/?account=all",
    given: async () => {
      expect(await call("acme/swift-2", REFUSED_ID)).toBe(404);
      const found = async () =>
        (await simulated.gateway.admin<{ refused: readonly object[] }>("GET", `/requests?q=${REFUSED_ID}`)).refused;
      while ((await found()).length === 0) await Bun.sleep(100);
    },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Requests"));
      await hand.type(page.getByLabel("Find by request id"), REFUSED_ID);
      await page.waitForURL(/q=order/);
      await hand.click(page.getByRole("table", { name: "Requests" }).getByRole("link", { name: "acme/swift-2" }));
      await page.getByText("404 model_not_found (model)").waitFor();
      await page.getByText("Did you mean", { exact: false }).first().waitFor();
    },
  },
  {
    name: "why a call failed (5xx), with its id",
    most: { clicks: 2, fields: 1 },
    path: "/?account=all",
    given: async () => void expect(await call("acme/broken", FAILED_ID)).toBe(502),
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Requests"));
      await hand.type(page.getByLabel("Find by request id"), FAILED_ID);
      await page.waitForURL(/q=order/);
      await hand.click(page.getByRole("table", { name: "Requests" }).getByRole("link", { name: "acme/broken" }));
      await page.getByRole("table", { name: "Attempts" }).getByText("500").first().waitFor();
    },
  },
  {
    name: "a price from the first of next month, of a model that the file names",
    most: { clicks: 5, fields: 2 },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Model setup"));
      await hand.click(page.getByRole("table").getByRole("link", { name: "acme/swift-1" }).first());
      await hand.click(page.getByRole("link", { name: "Change it from a later day" }));
      await page.getByText("The configuration file has this model.", { exact: false }).waitFor();
      const later = page.getByRole("group", { name: "Price 2" });
      expect(await later.getByLabel("From").inputValue()).toBe(NEXT_MONTH);
      await hand.type(later.getByLabel("Input", { exact: true }), "2.50");
      await hand.type(later.getByLabel("Output", { exact: true }), "12.50");
      await hand.click(hand.button("Preview the change"));
      await page.getByRole("table", { name: "What changes" }).getByText("12.50").waitFor();
      await page.getByText("The configuration file has this model.", { exact: false }).waitFor();
      expect(await page.locator("main").textContent()).not.toContain("[object");
      await hand.click(hand.button("Apply"));
      await page.getByText("Takes effect with the next request").first().waitFor();
      const { data } = await simulated.gateway.admin<PriceList>("GET", "/prices");
      const sold = data.find(({ model }) => model === "acme/swift-1");
      expect(sold?.effective.input.decimal).toBe("3.00");
      expect(sold?.upcoming.map(({ from, input }) => [from?.slice(0, 10), input.decimal])).toEqual([
        [NEXT_MONTH, "2.50"],
      ]);
    },
  },
  {
    name: "a lost password reset, as a link to send",
    most: { clicks: 4, fields: 0 },
    given: async () => void (await invite(simulated.gateway, { email: "forgot@example.com" })),
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Users"));
      const row = page.getByRole("row").filter({ hasText: "forgot@example.com" });
      await hand.click(row.getByRole("button", { name: /^Actions for/ }));
      await hand.click(page.getByRole("menuitem", { name: "Create password-reset link" }));
      await hand.click(hand.button("Create link"));
      await page.getByRole("dialog").getByText("The password-reset link").waitFor();
    },
  },
  {
    name: "a key rolled, the old secret good for a day",
    most: { clicks: 4, fields: 0 },
    path: "/?account=all",
    given: async () => {
      const { account } = await simulated.gateway.newKey();
      await simulated.gateway.admin("POST", "/keys", { account, name: "Rolled job" });
    },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Keys"));
      await hand.click(hand.button("Actions for Rolled job"));
      await hand.click(page.getByRole("menuitem", { name: /^Roll/ }));
      await hand.click(hand.button("Create new secret"));
      await page.getByRole("dialog").getByText(/cm-/).first().waitFor();
    },
  },
  {
    name: "a project for some keys",
    most: { clicks: 4, fields: 1 },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Keys"));
      await hand.click(page.getByRole("tab", { name: "Projects" }));
      await hand.click(hand.button("Create a project").first());
      await hand.type(page.getByRole("dialog").getByLabel("Name"), "Search");
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Create project" }));
      await page
        .getByRole("link", { name: "Search" })
        .or(page.getByText("Search", { exact: true }))
        .first()
        .waitFor();
    },
  },
  {
    name: "credit for an account",
    most: { clicks: 5, fields: 1 },
    given: async () => void (await simulated.gateway.admin("POST", "/accounts", { email: "paid@example.com" })),
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Accounts"));
      await hand.click(page.getByRole("link", { name: "paid@example.com" }).first());
      await hand.click(hand.button("Add credit").first());
      await hand.type(page.getByRole("dialog").getByLabel(/^Amount/), "10");
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Continue" }));
      await hand.click(page.getByRole("dialog").getByRole("button", { name: /^Add/ }));
      await page.getByText("$10.00").first().waitFor();
    },
  },
  {
    name: "a booking corrected",
    most: { clicks: 5, fields: 1 },
    given: async () => {
      const booked = { email: "wrong@example.com", credit: "100" };
      await simulated.gateway.admin("POST", "/accounts", booked);
    },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Accounts"));
      await hand.click(page.getByRole("link", { name: "wrong@example.com" }).first());
      await hand.click(hand.button("Add credit").first());
      const dialog = page.getByRole("dialog");
      // With a minus it can only be a correction.
      await hand.type(dialog.getByLabel(/^Amount/), "-90");
      await hand.click(dialog.getByRole("button", { name: "Continue" }));
      await hand.click(dialog.getByRole("button").last());
      await page.getByText("$10.00").first().waitFor();
    },
  },
  {
    name: "the credential of a known vendor",
    most: { clicks: 4, fields: 1 },
    on_fresh: true,
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Vendors"));
      await hand.click(page.getByRole("link", { name: "Mistral AI" }).first());
      await hand.click(hand.button("Set credential"));
      const error = { code: "provider_error", message: "Mistral AI refuses the credential (status 401)." };
      await page.route("**/vendors/mistral/models", (route) => route.fulfill({ status: 400, json: { error } }));
      await hand.type(page.getByLabel("API key"), "sk-mistral-of-the-console");
      await hand.click(page.getByRole("dialog").getByRole("button", { name: "Set credential" }));
      await page.getByText("It is stored", { exact: false }).first().waitFor();
    },
  },
  {
    name: "a vendor that Camino does not know",
    most: { clicks: 5, fields: 6 },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Vendors"));
      await hand.click(page.getByRole("link", { name: "New vendor" }));
      await hand.type(page.getByLabel("ID"), "delta");
      await hand.type(page.getByLabel("Address"), simulated.simulator.base_url);
      await hand.type(page.getByLabel("API key"), VENDOR_KEY);
      await hand.click(hand.button("Connect and fetch models"));
      await hand.click(page.getByRole("checkbox", { name: /^delta\/echo$/ }));
      await hand.type(page.getByLabel("Vendor's input price"), "1");
      await hand.type(page.getByLabel("Vendor's output price"), "4");
      await hand.type(page.getByLabel("Markup in percent"), "20");
      await hand.click(hand.button("Offer 1 model"));
      await page.getByRole("table", { name: "Models" }).getByText("delta/echo").waitFor();
    },
  },
  {
    name: "requests as a CSV file",
    most: { clicks: 2, fields: 0 },
    path: "/?account=all",
    given: async () => expect(await call("acme/swift-1", "exported")).toBe(200),
    by: async (hand) => {
      await hand.click(hand.link("Requests"));
      const saved = hand.page.waitForEvent("download");
      await hand.click(hand.page.getByRole("link", { name: "Download CSV" }).first());
      expect((await saved).suggestedFilename()).toMatch(/\.csv$/);
    },
  },
  {
    name: "an invitation, as a link to send",
    most: { clicks: 3, fields: 1 },
    by: async (hand) => {
      await hand.click(hand.link("Users"));
      await hand.click(hand.button("Invite a user").first());
      await hand.type(hand.page.getByRole("dialog").getByLabel("E-mail"), "new@example.com");
      await hand.click(hand.button("Create invitation"));
      await hand.page.getByLabel("Link", { exact: true }).waitFor();
    },
  },
  {
    name: "a key revoked",
    most: { clicks: 4, fields: 1 },
    path: "/?account=all",
    given: async () => {
      const { account } = await simulated.gateway.newKey();
      await simulated.gateway.admin("POST", "/keys", { account, name: "Leaked job" });
    },
    by: async (hand) => {
      const { page } = hand;
      await hand.click(hand.link("Keys"));
      await hand.click(hand.button("Actions for Leaked job"));
      await hand.click(page.getByRole("menuitem", { name: "Revoke for good" }));
      await hand.type(page.getByLabel("Type Leaked job to confirm"), "Leaked job");
      await hand.click(hand.button("Revoke key"));
      await page.getByText("revoked", { exact: true }).first().waitFor();
    },
  },
];

describe("a task of the operator takes", () => {
  // Before another administrator is there: the link is for the first one alone.
  test("1 click, and 2 fields: the first sign-in, with an e-mail and a password of one's own", async () => {
    const { page } = await browser.visit(fresh.url, { alone: true });
    const hand = new Hand(page);
    await page.goto(fresh.sign_in_link ?? "");
    await hand.type(page.getByLabel("Your e-mail"), "first@example.com");
    await hand.type(page.getByLabel("Your password"), "a-long-password-of-mine");
    await hand.click(page.getByRole("button", { name: "Save sign-in" }));
    await page.getByText("Set up your sign-in").waitFor({ state: "detached" });
    expect(hand.done("the first sign-in, with an e-mail and a password")).toEqual({ clicks: 1, fields: 2 });
  });

  test.each(TASKS)("$most.clicks clicks at most: $name", async ({ name, most, path = "/", on_fresh, given, by }) => {
    await given?.();
    const hand = await administratorAt(browser, on_fresh ? fresh : simulated.gateway, path);
    await by(hand);
    const { clicks, fields } = hand.done(name);
    expect(clicks).toBeLessThanOrEqual(most.clicks);
    expect(fields).toBeLessThanOrEqual(most.fields);
  });

  test("4 clicks at most, and 2 fields: an invitation on a phone, to the first answer", async () => {
    const asked = { email: "phone@example.com", credit: "5" };
    const { link } = await simulated.gateway.admin<{ link: string }>("POST", "/invitations", asked);
    const { page } = await browser.visit(simulated.gateway.url, { device: "phone" });
    const hand = new Hand(page);
    await page.goto(link);
    await hand.type(page.getByLabel("Password"), "a-long-password-of-mine");
    await hand.click(hand.button("Accept and sign in"));
    await hand.click(hand.button("Menu"));
    await hand.click(page.getByRole("link", { name: "Playground", exact: true }));
    await hand.type(page.getByRole("textbox", { name: "Message" }), "How far is it?");
    await hand.click(hand.button("Send"));
    const answer = page.getByRole("article", { name: /^Answer of / });
    await answer.getByText("How far is it?").waitFor();
    expect(hand.done("an invitation on a phone, to the first answer")).toEqual({ clicks: 4, fields: 2 });
  });
});
