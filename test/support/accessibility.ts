import { expect } from "bun:test";
import axe from "axe-core";
import type { CDPSession, Page } from "playwright-core";

/**
 * Holds the page as it is now to every rule of axe, those of good practice included. The checker goes in by the debugger's way:
 * the page's own content policy would refuse it, and stays as strict as it is.
 */
export async function checkAccessibility(page: Page): Promise<void> {
  await check(page, {});
}

/**
 * The same page in light and in dark, which differ in colours and in nothing else: every rule is asked in light, and in dark
 * those that look at colours. A page that is also of another shape in the dark is asked everything there: checkAccessibility.
 */
export async function checkBothThemes(page: Page): Promise<void> {
  await wear(page, "light");
  await check(page, {});
  await wear(page, "dark");
  await check(page, { runOnly: COLOUR_RULES });
  await page.emulateMedia({ colorScheme: "light" });
}

async function wear(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
}

/** What axe counts as `cat.color`, but for the contrast of AAA, which is off unless it is named. */
const COLOUR_RULES = axe
  .getRules(["cat.color"])
  .map(({ ruleId }) => ruleId)
  .filter((id) => id !== "color-contrast-enhanced");

async function check(page: Page, options: axe.RunOptions): Promise<void> {
  const debug = await debuggerOf(page);
  // In the middle of a change of theme, colours are neither the one's nor the other's.
  await debug.send("Runtime.evaluate", { expression: STILL, awaitPromise: true });
  // Half a megabyte, which a document that was checked before still has.
  const { result: known } = await debug.send("Runtime.evaluate", { expression: "typeof axe" });
  if (known.value !== "object") await debug.send("Runtime.evaluate", { expression: axe.source });
  const { result, exceptionDetails } = await debug.send("Runtime.evaluate", {
    // The tooltip stands in the top layer beside all landmarks; it is read as the description of what it is about.
    expression: `axe.run({ exclude: "[role=tooltip]" }, ${JSON.stringify({ ...options, resultTypes: ["violations"] })}).then(({ violations }) => violations)`,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(`the accessibility check failed: ${exceptionDetails.exception?.description}`);
  const violations = result.value as axe.Result[];
  expect(violations.map(describeViolation)).toEqual([]);
}

/** Two frames first: transitions begin when the new theme is drawn, and end some frames later. */
const STILL = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() =>
  Promise.all(document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined)))).then(() =>
  new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))).then(() => undefined)`;

const debuggers = new WeakMap<Page, Promise<CDPSession>>();

/** One for as long as the page lives: one that leaves takes the page's virtual passkey devices along. */
function debuggerOf(page: Page): Promise<CDPSession> {
  const known = debuggers.get(page) ?? page.context().newCDPSession(page);
  debuggers.set(page, known);
  return known;
}

function describeViolation({ id, help, nodes }: axe.Result): string {
  const places = nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary ?? ""}`);
  return `${id} (${help}) at ${places.join("; ")}`;
}
