import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** The playground of models that draw, speak, embed and rank: the answer, its charge beside it, and the program that does the same. */

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

/** The member at the playground. All tests but the phone's are one visit. */
async function memberAt(query: string): Promise<Page> {
  const { page } = await browser.stay(gateway.url, async (visitor) => {
    await signIn(visitor, gateway, { role: "member", account });
    await visitor.page.goto("/console/models");
    await visitor.page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  });
  if (new URL(page.url()).pathname !== "/console/models") await goTo(page, "/console/models");
  await goTo(page, `/console/playground?${query}`);
  return page;
}

interface Row {
  readonly style: string;
  readonly model: string;
  readonly verb: string;
  /** Waits for the answer, and tries it. */
  readonly seen: (page: Page) => Promise<void>;
  /** What the curl of the page, the program in TypeScript and the file that it writes have. */
  readonly by_curl: (answer: Response) => Promise<void>;
  readonly printed?: string;
  readonly written?: readonly [file: string, beginning: string];
}

const PNG = "\x89PNG";

/** Once the browser has read the image, which has a width of its own then; and the sound, which has a length. */
const DRAWN_WIDTH = `(() => {
  const drawn = document.querySelector("[role=tabpanel] img");
  return drawn.decode().then(() => drawn.naturalWidth);
})()`;
const HEARD_SECONDS = `new Promise((heard) => {
  const player = document.querySelector("audio");
  if (player.readyState > 0) heard(player.duration);
  else player.addEventListener("loadedmetadata", () => heard(player.duration));
})`;

const image = (page: Page) => page.getByRole("tabpanel").getByRole("img");
const player = (page: Page) => page.getByLabel("The spoken text");

async function keptFile(page: Page, name: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: `Download ${name}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(name);
  return Buffer.from(await Bun.file(await download.path()).bytes());
}

const ROWS: readonly Row[] = [
  {
    style: "images",
    model: "sim/draw",
    verb: "Draw",
    seen: async (page) => {
      await image(page).waitFor();
      expect(await page.evaluate<number>(DRAWN_WIDTH)).toBe(1024);
      expect((await keptFile(page, "image-1.png")).toString("latin1", 0, 4)).toBe(PNG);
    },
    by_curl: async (answer) => {
      const { data } = (await answer.json()) as { data: { b64_json: string }[] };
      expect(Buffer.from(data[0]?.b64_json ?? "", "base64").toString("latin1", 0, 4)).toBe(PNG);
    },
    written: ["image.png", PNG],
  },
  {
    style: "speech",
    model: "sim/speak",
    verb: "Speak",
    seen: async (page) => {
      await player(page).waitFor();
      expect(await page.evaluate<number>(HEARD_SECONDS)).toBeGreaterThan(1);
      expect((await keptFile(page, "speech.wav")).toString("latin1", 0, 4)).toBe("RIFF");
    },
    by_curl: async (answer) => expect(answer.headers.get("content-type")).toBe("audio/wav"),
    written: ["speech.wav", "RIFF"],
  },
  {
    style: "embeddings",
    model: "sim/embed",
    verb: "Compare",
    seen: async (page) => {
      const cells = page.getByRole("table").locator("td data");
      await cells.first().waitFor();
      const [one, near, far, ...others] = await numbersIn(cells, "value");
      expect(others).toHaveLength(6);
      expect(one).toBeCloseTo(1, 5);
      expect(near).toBeGreaterThan(far ?? 1);
    },
    by_curl: async (answer) => expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(3),
    printed: "[ 64, 64, 64 ]",
  },
  {
    style: "rerank",
    model: "sim/rank",
    verb: "Rank",
    seen: async (page) => {
      const bars = page.getByRole("list", { name: "Documents by score" }).getByRole("listitem");
      await bars.first().getByText("The trains to the coast leave every hour.").waitFor();
      const scores = await numbersIn(bars.locator("[data-hint]"), "data-hint");
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      expect(scores).toHaveLength(4);
    },
    by_curl: async (answer) => expect(((await answer.json()) as { results: unknown[] }).results).toHaveLength(4),
    printed: "relevance_score",
  },
];

async function latestRequest(): Promise<Receipt> {
  const { data } = await gateway.admin<{ data: Receipt[] }>("GET", `/requests?account=${account}&limit=1`);
  const [receipt] = data;
  if (receipt === undefined) throw new Error("there is no request");
  return receipt;
}

async function chargeOn(page: Page): Promise<number> {
  const charge = page.locator("footer data");
  await charge.waitFor();
  return Number(await charge.getAttribute("value"));
}

async function shownCode(page: Page, language: string): Promise<string> {
  await page.getByRole("tab", { name: language }).click();
  return (await page.getByRole("tabpanel").last().locator("pre").textContent()) ?? "";
}

/** Runs a program beside the packages of this project, and returns what it prints and the folder into which it writes. */
async function runTypeScript(code: string, folder: string): Promise<string> {
  const from = import.meta.resolve("openai");
  const child = Bun.spawn([process.execPath, "-e", code.replace('"openai"', JSON.stringify(from))], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", CAMINO_API_KEY: key },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  return child.stdout.text();
}

describe.each(ROWS)("$style of $model", ({ style, model, verb, seen, by_curl, printed, written }) => {
  test("are seen or heard, with their charge, as they came and as programs", async () => {
    const page = await memberAt(`style=${style}&model=${model}`);
    await page.getByRole("button", { name: verb, exact: true }).click();
    await seen(page);
    const charge = await chargeOn(page);
    expect(await latestRequest()).toMatchObject({ model, status: "settled", charge_micro: charge });
    expect(charge).toBeGreaterThan(0);
    await checkBothThemes(page);
    await screenshot(page, `playground-${style}`);
    await page.getByRole("tab", { name: "Raw answer" }).click();
    expect(await page.getByRole("tabpanel").locator("pre").textContent()).not.toBe("");
    await page.getByRole("tab", { name: "Code" }).click();
    expect(await shownCode(page, "Python")).toContain(model);
    const [command = ""] = (await shownCode(page, "curl")).split(" \\\n  | ");
    await by_curl(await runCurl(command, { CAMINO_API_KEY: key }));
    const folder = await mkdtemp(join(tmpdir(), "camino-playground-"));
    const said = await runTypeScript(await shownCode(page, "TypeScript"), folder);
    expect(said).toContain(printed ?? "");
    if (written !== undefined) {
      const bytes = Buffer.from(await Bun.file(join(folder, written[0])).bytes());
      expect(bytes.toString("latin1", 0, written[1].length)).toBe(written[1]);
    }
    await rm(folder, { recursive: true });
  });
});

test.each([
  ["images", "sim/draw-400", "Draw"],
  ["speech", "sim/speak-429", "Speak"],
  ["embeddings", "sim/embed-400", "Compare"],
  ["rerank", "sim/rank-400", "Rank"],
])("a failure of %s is shown as the endpoint says it, and costs nothing", async (style, model, verb) => {
  const page = await memberAt(`style=${style}&model=${model}`);
  await page.getByRole("button", { name: verb, exact: true }).click();
  const alert = page.getByRole("alert");
  await alert.getByText(/^Status \d+$/).waitFor();
  expect(JSON.parse((await alert.locator("pre").textContent()) ?? "")).toHaveProperty("error");
  expect(await chargeOn(page)).toBe(0);
});

test("Escape stops a request, and what is missing is said before anything is sent", async () => {
  const page = await memberAt("style=images&model=sim/draw-slow");
  await page.getByLabel("Images").selectOption("4");
  await page.getByRole("button", { name: "Draw", exact: true }).click();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("stopped", { exact: true }).waitFor();

  await memberAt("style=embeddings&model=sim/embed");
  for (const text of ["Text 2", "Text 3"]) await page.getByLabel(text, { exact: true }).fill("");
  await page.getByText("Two texts at least.").waitFor();
  expect(await page.getByRole("button", { name: "Compare", exact: true }).isDisabled()).toBe(true);
  for (let more = 0; more < 5; more += 1) await page.getByRole("button", { name: "Add a text" }).click();
  expect(await page.getByRole("button", { name: "Add a text" }).isDisabled()).toBe(true);
  await page.getByLabel("Text 8", { exact: true }).fill("The last of eight");
  await page.getByLabel("Dimensions").fill("many");
  await page.getByText("Write a whole number.").waitFor();
  await page.getByLabel("Dimensions").fill("128");
  await page.getByLabel("Text 8", { exact: true }).press("Control+Enter");
  await page.getByText(/ 128 dimensions\.$/).waitFor();
});

test("on a phone nothing scrolls sideways, is cut or lies over something else", async () => {
  const visitor = await browser.visit(gateway.url, { device: "phone" });
  await signIn(visitor, gateway, { role: "member", account });
  const { page } = visitor;
  for (const { style, model, verb } of ROWS) {
    await page.goto(`/console/playground?style=${style}&model=${model}`);
    await page.getByRole("button", { name: verb, exact: true }).click();
    await chargeOn(page);
    expect(await page.evaluate<string[]>(FLAWS)).toEqual([]);
    await checkBothThemes(page);
  }
});
