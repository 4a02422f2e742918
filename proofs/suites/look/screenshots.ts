/**
 * `npm run screenshots`: pictures of every page and dialog of the console with the large showcase, at five sizes, light and dark, in
 * `tmp/screenshots`, with scrollbars that take room, and sheets of them to look through. Says what a reader cannot see or read, and what axe finds. See README.md.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { violationsIn } from "../../support/axe.ts";
import { type LargeShowcase, startLargeShowcase } from "../../support/large-showcase.ts";
import { FLAWS } from "./flaws.ts";
import { openConsole } from "./open-console.ts";
import { openView } from "./open-view.ts";
import { VIEWS } from "./views.ts";
import { writeSheets } from "./write-sheets.ts";

const FOLDER = join(import.meta.dir, "../../../tmp/screenshots");

/** A wide screen, a laptop, a small window of one, a tablet and a phone. */
const SIZES = {
  "1920": { width: 1920, height: 1080 },
  "1440": { width: 1440, height: 900 },
  "1024": { width: 1024, height: 768 },
  "768": { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
} as const;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    only: { type: "string", default: "" },
    sizes: { type: "string", default: Object.keys(SIZES).join() },
    light: { type: "boolean", default: false },
  },
});
const sizes = Object.entries(SIZES).filter(([size]) => values.sizes.split(",").includes(size));
const asked = values.only.split(",");
const schemes = values.light ? (["light"] as const) : (["light", "dark"] as const);

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
await using showcase = await startLargeShowcase();
const told = [...(await take("administrator", showcase)), ...(await take("member", showcase))];
await writeSheets(
  FOLDER,
  sizes.map(([size]) => size),
  schemes,
);
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
  const said: string[] = [];
  for (const view of VIEWS) {
    const name = `${role === "member" ? "member-" : ""}${view.name}`;
    const is_seen = role === "administrator" || !(view.administrators || view.visitor === "signed-out");
    if (!is_seen || !asked.some((words) => name.includes(words))) continue;
    await opened.page.setViewportSize(SIZES["1440"]);
    try {
      const page = await openView(view, { gateway, ...rest }, opened);
      for (const flaw of await takePictures(page, name, view.dialog !== undefined)) tell(said, `${name} ${flaw}`);
    } catch (thrown) {
      tell(said, `${name}: cannot be opened: ${String(thrown).split("\n")[0]}`);
    }
  }
  return said;
}

/** Notes a flaw, and says it at once: a whole run takes a while. */
function tell(said: string[], flaw: string): void {
  said.push(flaw);
  console.log(flaw);
}

/** Takes a page as it is now in every size and look; returns what is wrong with it in each size. */
async function takePictures(page: Page, name: string, is_dialog: boolean): Promise<string[]> {
  const said: string[] = [];
  for (const [size, box] of sizes) {
    await page.setViewportSize(box);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    // A picture of a whole page shows what stays in the window where the window is.
    await page.evaluate("scrollTo(0, 0)");
    for (const flaw of await page.evaluate<string[]>(FLAWS)) said.push(`${size}: ${flaw}`);
    for (const scheme of schemes) {
      for (const found of await violationsIn(page, scheme)) said.push(`${size}, ${scheme}: ${found}`);
      const path = join(FOLDER, `${name}.${size}.${scheme}.png`);
      // A whole page is taken without the window's scrollbar, whose room would be cut off its end.
      const height = await page.evaluate<number>("document.documentElement.scrollHeight");
      const whole = is_dialog ? {} : { fullPage: true, clip: { x: 0, y: 0, width: box.width, height } };
      await page.screenshot({ path, scale: "css", animations: "disabled", ...whole });
    }
  }
  return said;
}
