/**
 * `npm run screenshots`: pictures of every page and dialog of the console with the large showcase, at four sizes, light and dark, in
 * `tmp/screenshots`, with sheets of them to look through. Says what a reader cannot see or read. See README.md.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type LargeShowcase, startLargeShowcase } from "../support/large-showcase.ts";
import { openConsole } from "./open-console.ts";
import { FLAWS } from "./flaws.ts";
import { VIEWS, type View } from "./views.ts";
import { writeSheets } from "./write-sheets.ts";

const FOLDER = join(import.meta.dir, "../../tmp/screenshots");

/** A window of 1280 at 200 % has 640 points in each of which there are two pixels. */
const SIZES: Readonly<Record<string, { width: number; height: number }>> = {
  "1280": { width: 1280, height: 720 },
  "1440": { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  zoomed: { width: 640, height: 360 },
};

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: { only: { type: "string", default: "" }, light: { type: "boolean", default: false } },
});
const schemes = values.light ? (["light"] as const) : (["light", "dark"] as const);

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
await using showcase = await startLargeShowcase();
const told = [...(await take("administrator", showcase)), ...(await take("member", showcase))];
await writeSheets(FOLDER, Object.keys(SIZES), schemes);
for (const line of told) console.log(line);
console.log(
  told.length === 0 ? `nothing is hidden; pictures in ${FOLDER}` : `${told.length} flaws; pictures in ${FOLDER}`,
);
// Not process.exit: the showcase's gateway is stopped at the end of the module.
process.exitCode = told.length === 0 ? 0 : 1;

/** Takes every view of one of the two; returns what is wrong with them. */
async function take(role: "administrator" | "member", { gateway, ...rest }: LargeShowcase): Promise<string[]> {
  const admin_token = (await Bun.file(join(gateway.data, "admin-token")).text()).trim();
  const account_role = role === "member" ? { account_role: "owner" } : {};
  await using opened = await openConsole({
    url: gateway.url,
    admin_token,
    account: rest.account,
    role,
    ...account_role,
  });
  const { page } = opened;
  const said: string[] = [];
  for (const view of VIEWS) {
    const name = `${role === "member" ? "member-" : ""}${view.name}`;
    if ((role === "member" && view.administrators) || !name.includes(values.only)) continue;
    await page.setViewportSize({ width: 1440, height: 900 });
    try {
      await open(page, view, { gateway, ...rest });
    } catch (thrown) {
      said.push(`${name}: cannot be opened: ${String(thrown).split("\n")[0]}`);
      continue;
    }
    for (const [size, box] of Object.entries(SIZES)) {
      await page.setViewportSize(box);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      for (const scheme of schemes) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.locator(`html[data-theme=${scheme}]`).waitFor({ timeout: 5_000 });
        const path = join(FOLDER, `${name}.${size}.${scheme}.png`);
        await page.screenshot({ path, fullPage: view.dialog === undefined, scale: "css", animations: "disabled" });
      }
      for (const flaw of await page.evaluate<string[]>(FLAWS)) said.push(`${name} ${size}: ${flaw}`);
    }
  }
  return said;
}

async function open(page: Page, { path, dialog }: View, showcase: LargeShowcase): Promise<void> {
  await page.goto(`/console${path(showcase)}`);
  await page.locator("main h1").waitFor({ timeout: 10_000 });
  await page.waitForLoadState("networkidle");
  if (dialog === undefined) return;
  for (const step of dialog) {
    if (step.includes("+") || step.length === 1) {
      await page.keyboard.press(step);
      continue;
    }
    const target = page.getByRole("button", { name: step }).or(page.getByRole("menuitem", { name: step }));
    await target.first().click({ timeout: 5_000 });
  }
  await page.getByRole("dialog").first().waitFor({ timeout: 5_000 });
  await page.waitForLoadState("networkidle");
}
