import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { goTo, launchBrowser, type TestBrowser } from "../../support/browser.ts";
import { type LargeShowcase, LONG_MODEL, LONG_TAG, startLargeShowcase } from "../../support/large-showcase.ts";
import { screenshot } from "../../support/screenshot.ts";
import { signIn } from "../../support/sign-in.ts";
import { FLAWS } from "../look/flaws.ts";

/** No table hides what it has, its rows and cards begin with what names them, nothing is cut and no word or number is broken within, with long names, large numbers and many rows, whatever the width of the page. */

let browser: TestBrowser;
let showcase: LargeShowcase;

beforeAll(async () => {
  [browser, showcase] = await Promise.all([launchBrowser(), startLargeShowcase()]);
  await counted();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await showcase?.[Symbol.asyncDispose]();
});

/** Waits until the gateway has counted calls, which it does every few seconds: the pages of all accounts are empty before. */
async function counted(): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    const { total } = await showcase.gateway.admin<{ total: { requests: number } }>("GET", "/usage/traffic");
    if (total.requests > 0) return;
    await Bun.sleep(250);
  }
  throw new Error("the calls were not counted");
}

const SIZES = {
  "a laptop": { width: 1280, height: 720 },
  "a desktop": { width: 1440, height: 900 },
  "a laptop at 200 %": { width: 640, height: 360 },
  "a phone": { width: 390, height: 844 },
};

/** What a reader cannot see or reach, and rows and cards that begin with something else than their names, in sentences. */
const HIDDEN = `(() => {
  const said = [];
  if (document.documentElement.scrollWidth > innerWidth) said.push("the page scrolls sideways");
  const shown = (element) => element.getClientRects().length > 0;
  const linesOf = (element) => {
    const range = document.createRange();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const lines = [];
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      range.selectNodeContents(node);
      lines.push(...range.getClientRects());
    }
    return lines;
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const table of document.querySelectorAll("main table, [role=dialog] table")) {
    if (!shown(table) || table.closest(".sr-only")) continue;
    const name = table.caption?.textContent ?? "a table";
    const box = table.closest("[role=group]") ?? table.parentElement;
    const is_told = box.dataset.more !== undefined;
    if (box.scrollWidth > box.clientWidth + 1 && !is_told) said.push(name + " is " + box.scrollWidth + " wide in " + box.clientWidth);
    const edge = box.getBoundingClientRect().right + 1;
    if (table.matches(".table-cards")) for (const row of table.tBodies[0].rows) {
      const [heading, ...cells] = [...row.cells].filter(shown);
      if (heading?.scope !== "row") said.push(name + " begins a row with " + (heading?.dataset.label ?? "nothing"));
      const corner = cells.find((cell) => getComputedStyle(cell).position === "absolute")?.getBoundingClientRect();
      if (corner && linesOf(heading).some((line) => meet(line, corner))) said.push(name + " has buttons over " + heading.textContent);
    }
    for (const cell of table.querySelectorAll("th, td")) {
      if (!shown(cell) || cell.closest("thead") && getComputedStyle(cell.closest("thead")).position === "absolute") continue;
      if (cell.getBoundingClientRect().right > edge && !is_told) said.push(name + " cuts the cell " + cell.textContent);
      for (const part of [cell, ...cell.querySelectorAll("*")]) {
        if (getComputedStyle(part).overflowX !== "hidden" || part.closest(".sr-only")) continue;
        if (part.scrollWidth > part.clientWidth + 1 && !part.closest("[data-hint]") && !part.querySelector("[data-hint]"))
          said.push(name + " cuts the text " + part.textContent);
      }
    }
  }
  return [...new Set(said)].slice(0, 5);
})()`;

const PAGES: readonly [path: (showcase: LargeShowcase) => string, heading: string | RegExp][] = [
  [() => "/", "Overview"],
  [() => "/keys", "Keys"],
  [({ key }) => `/keys/${key.id}`, /research-and-development/],
  [() => "/aliases", "Aliases"],
  [() => "/usage", "Usage"],
  [() => "/usage?by=tag&tag=run", "Usage"],
  [() => `/usage?by=model&tagged=${LONG_TAG.name}%3D${encodeURIComponent(LONG_TAG.value)}`, "Usage"],
  [() => "/usage?account=all&view=bill&by=day,tag&tag=run", "Usage"],
  [() => "/requests", "Requests"],
  [
    () => `/requests?time=custom&from=2026-01-01&tag=${LONG_TAG.name}%3D${encodeURIComponent(LONG_TAG.value)}`,
    "Requests",
  ],
  [() => "/requests?account=all&time=custom&from=2026-01-01", "Requests"],
  [() => "/requests?time=custom&from=2026-01-01&status=refused", "Requests"],
  [({ request }) => `/requests/${request}`, /./],
  [() => "/credits", "Credits"],
  [() => "/models", "Models"],
  [() => `/models/${LONG_MODEL}`, /./],
  [() => "/admin/accounts", "Accounts"],
  [({ account }) => `/admin/accounts/${account}`, /./],
  [() => "/admin/users", "Users"],
  [() => "/admin/vendors", "Vendors"],
  [() => "/admin/vendors/acme", /./],
  [() => "/admin/prices", /Prices/],
  [() => "/admin/routes", "Routes"],
  [() => "/admin/limits", "Limits"],
  [() => "/admin/health", "Health"],
  [() => "/?account=all", "Overview"],
  [() => "/admin/audit", "Audit log"],
  [() => "/admin/configuration", "Configured models"],
  [() => "/admin/users?tab=keys", "Users"],
  [() => "/team", "Team"],
];

const HALL = "/console/settings";

async function visit(path: string): Promise<Page> {
  const { page } = await browser.stay(showcase.gateway.url, async (visitor) => {
    await signIn(visitor, showcase.gateway, { account: showcase.account });
    await visitor.page.goto(HALL);
  });
  // From a page of another kind: several are of one kind, with other things chosen.
  if (new URL(page.url()).pathname !== HALL) await goTo(page, HALL);
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await goTo(page, `/console${path}`);
  return page;
}

describe("no table hides what it has", () => {
  test.each(PAGES.map(([path, heading], at) => [String(heading), path, heading, at] as const))(
    "%s",
    async (_, path, heading) => {
      const page = await visit(path(showcase));
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.waitForLoadState("networkidle");
      for (const [name, size] of Object.entries(SIZES)) {
        await page.setViewportSize(size);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        const hidden = [...(await page.evaluate<string[]>(HIDDEN)), ...(await page.evaluate<string[]>(FLAWS))];
        expect({ name, hidden }).toEqual({ name, hidden: [] });
      }
    },
  );
});

test("a request's charge is seen without scrolling at every width", async () => {
  const page = await visit("/requests");
  const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr");
  await rows.nth(20).waitFor();
  for (const { width, height } of Object.values(SIZES)) {
    await page.setViewportSize({ width, height });
    const charge = rows.filter({ hasText: "answered" }).first().locator("td").last();
    expect(await charge.textContent()).toMatch(/\$[\d,]+\.\d\d/);
    // A table becomes cards when the page has seen its new width.
    const endsAt = async (): Promise<number> => {
      const box = await charge.boundingBox();
      return box === null ? Number.POSITIVE_INFINITY : box.x + box.width;
    };
    const give_up = Date.now() + 10_000;
    while ((await endsAt()) > width && Date.now() < give_up) await Bun.sleep(50);
    expect(await endsAt()).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize(SIZES["a laptop"]);
  await screenshot(page, "requests-large");
});

const NARROWEST = { width: 320, height: 640 };

test("a tab that is chosen is seen on a phone, and so is that there are more", async () => {
  for (const [path, row, chosen] of [
    ["/admin/configuration/export", "navigation", "camino.yaml"],
    [`/keys/${showcase.key.id}?tab=snippets`, "tablist", "Snippets"],
  ] as const) {
    const page = await visit(path);
    // So narrow that they do not fit, whatever the font.
    await page.setViewportSize(NARROWEST);
    const tabs = page.getByRole(row).filter({ hasText: chosen });
    const tab = tabs.getByText(chosen, { exact: true });
    await tabs.and(page.locator("[data-more=start]")).waitFor();
    const { x, width } = (await tab.boundingBox()) ?? { x: 0, width: Number.POSITIVE_INFINITY };
    expect(x + width).toBeLessThanOrEqual(NARROWEST.width);
  }
});

test("names that differ at their ends alone are told apart in the palette", async () => {
  const page = await visit("/");
  await page.setViewportSize(SIZES["a phone"]);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("research");
  const options = page.getByRole("option").filter({ hasText: "key …" });
  await options.nth(5).waitFor();
  expect(await page.evaluate<string[]>(FLAWS)).toEqual([]);
  const cut = `[...document.querySelectorAll("[role=option]")].filter((each) => each.textContent.includes("key …"))
    .flatMap((each) => [...each.querySelectorAll("[data-hint]")])
    .filter((name) => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1).length`;
  expect(await page.evaluate<number>(cut)).toBe(0);
  await page.keyboard.press("Escape");
});

/** What the browser keeps when a table's file is asked for, cell by cell. */
async function fileOf(page: Page, table: string): Promise<{ name: string; rows: readonly string[][] }> {
  const beside = page.getByRole("group", { name: table }).locator("xpath=..");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    beside.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const text = await Bun.file(await download.path()).text();
  const rows = text.split("\r\n").slice(0, -1);
  return { name: download.suggestedFilename(), rows: rows.map((row) => row.split(",")) };
}

describe("a table of which the server makes no file is one all the same", () => {
  test("of prices, with all of their digits", async () => {
    const page = await visit("/admin/prices");
    await page.getByRole("table", { name: "Prices per million tokens" }).locator("tbody tr").first().waitFor();
    const { name, rows } = await fileOf(page, "Prices per million tokens");
    expect(name).toBe("prices.csv");
    expect(rows[0]).toEqual([
      "Model",
      "Source",
      "Input",
      "Output",
      "Cache read",
      "Cache write",
      "Other units",
      "Margin",
    ]);
    expect(rows.find(([model]) => model === LONG_MODEL)).toEqual([
      ...[LONG_MODEL, "own", "123456.789012", "987654.321098", "12345.678901", "154320.98765", "", ""],
    ]);
    expect(rows).toHaveLength(1 + (await page.getByRole("table").locator("tbody tr").count()));
  });

  test("of members, without its buttons, the times to the second", async () => {
    const page = await visit("/team");
    await page.getByRole("table", { name: "Members" }).locator("tbody tr").first().waitFor();
    const { name, rows } = await fileOf(page, "Members");
    expect(name).toBe("members.csv");
    expect(rows[0]).toEqual(["Member", "Role", "Default project", "Status", "Joined", "Last seen"]);
    expect(rows[1]).toEqual([
      expect.stringMatching(/^Ana Lima you ana-\d+@example.com$/),
      ...["owner", "no project", "active"],
      ...[expect.stringMatching(/^\d{4}-.*Z$/), expect.stringMatching(/^\d{4}-.*Z$/)],
    ]);
  });

  test("of invitations, on a phone and with columns that are not shown", async () => {
    const page = await visit("/admin/users?tab=invitations");
    await page.setViewportSize(SIZES["a phone"]);
    await page.getByRole("table", { name: "Invitations" }).locator("tbody tr").first().waitFor();
    const { rows } = await fileOf(page, "Invitations");
    expect(rows[0]).toEqual(["E-mail", "Role", "Account", "Credit", "Invited by", "Expires"]);
    expect(rows.slice(1).every(([email]) => email?.startsWith("invited."))).toBe(true);
  });
});
