import axe from "axe-core";
import type { CDPSession, Page } from "playwright-core";

/** The looks of the console. */
export type Theme = "light" | "dark";

/**
 * What axe finds on the current page by every rule, best practices included, as sentences. The checker is injected through the debugger,
 * because the page's content policy refuses it, and the policy stays as strict as in use.
 */
export function violationsOn(page: Page): Promise<readonly string[]> {
  return check(page, {});
}

/** What axe finds in one theme, which the page gets: by every rule in light, and in dark, which differs in colours alone, by those about colours. */
export async function violationsIn(page: Page, theme: Theme): Promise<readonly string[]> {
  await wear(page, theme);
  return await check(page, theme === "light" ? ONE_SHEET : { runOnly: COLOUR_RULES });
}

/**
 * Without reading the sheet of styles once more on each page: all pages have one, and the one rule that needs its text (that no style binds a page to
 * an orientation) runs in `violationsOn`.
 */
const ONE_SHEET = { preload: false };

async function wear(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
}

/** What axe counts as `cat.color`, but for the contrast of AAA, which is off unless it is named. */
const COLOUR_RULES = axe
  .getRules(["cat.color"])
  .map(({ ruleId }) => ruleId)
  .filter((id) => id !== "color-contrast-enhanced");

async function check(page: Page, options: axe.RunOptions): Promise<readonly string[]> {
  const debug = await debuggerOf(page);
  // During a change of theme, colours belong to neither theme.
  await debug.send("Runtime.evaluate", { expression: STILL, awaitPromise: true });
  const fresh = await markUnseenColours(debug);
  if (options.runOnly === COLOUR_RULES && fresh.length === 0) return [];
  // The checker is half a megabyte, and a document that was checked before still has it.
  const { result: known } = await debug.send("Runtime.evaluate", { expression: "typeof axe" });
  if (known.value !== "object") await debug.send("Runtime.evaluate", { expression: axe.source });
  const { result, exceptionDetails } = await debug.send("Runtime.evaluate", {
    expression: `(() => {
      const repeated = ${REPEATED_ROWS};
      axe.configure({ rules: [{ id: "color-contrast", selector: "[${UNSEEN}]" }] });
      // The tooltip is in the top layer, outside of all landmarks; screen readers read it as a description of its owner.
      return axe.run({ exclude: ["[role=tooltip]", ...repeated] }, ${JSON.stringify({ ...options, resultTypes: ["violations"] })});
    })().then(({ violations }) => violations)`,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(`the accessibility check failed: ${exceptionDetails.exception?.description}`);
  const violations = result.value as axe.Result[];
  if (violations.length > 0) return violations.map(describeViolation);
  for (const kind of fresh) checked_colours.add(kind);
  return [];
}

/** Kinds of texts whose contrast a test of this process has checked. */
const checked_colours = new Set<string>();
const UNSEEN = "data-unseen-colours";

/**
 * Marks the texts of a page whose contrast is to be checked, and returns their kinds: two texts are of a kind where theme, width, and the
 * elements that they are in are equal, each with its classes, states and place. Their colours are equal then, and a side with the
 * navigation is on every page. Contrast is most of what a check takes.
 */
async function markUnseenColours(debug: CDPSession): Promise<readonly string[]> {
  const { result } = await debug.send("Runtime.evaluate", { expression: `(${KINDS_OF_TEXTS})()`, returnByValue: true });
  const kinds = result.value as string[];
  const fresh = [...new Set(kinds)].filter((kind) => !checked_colours.has(kind));
  const wanted = new Set(fresh);
  const marked = JSON.stringify(kinds.flatMap((kind, at) => (wanted.has(kind) ? [at] : [])));
  await debug.send("Runtime.evaluate", {
    expression: `for (const at of ${marked}) texts_of_page[at].setAttribute("${UNSEEN}", "")`,
  });
  return fresh;
}

/** The kind of each element with a text of its own, which are kept in `texts_of_page`. */
const KINDS_OF_TEXTS = `() => {
  for (const marked of document.querySelectorAll("[${UNSEEN}]")) marked.removeAttribute("${UNSEEN}");
  const NAMES_AND_WORDS = /^(id|for|href|title|value|datetime|name|d|style|data-hint|aria-(label|labelledby|describedby|controls|valuenow|valuetext))$/;
  const kinds = new Map();
  const kindOf = (element) => {
    if (element === null || element === document.documentElement) return "";
    let kind = kinds.get(element);
    if (kind !== undefined) return kind;
    const said = [element.localName, getColours(element)];
    for (const { name, value } of element.attributes) if (!NAMES_AND_WORDS.test(name)) said.push(name + "=" + value);
    for (const state of [":hover", ":focus", ":disabled", ":checked", ":invalid", ":first-child", ":last-child", ":nth-child(odd)"])
      if (element.matches(state)) said.push(state);
    kind = kindOf(element.parentElement) + ">" + said.join(" ");
    kinds.set(element, kind);
    return kind;
  };
  const getColours = (element) => element.getAttribute("style")?.match(/(color|background|fill|opacity|--)[^;]*/g)?.join() ?? "";
  const hasText = (element) =>
    /^(input|select|textarea)$/.test(element.localName) || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  globalThis.texts_of_page = [...document.body.querySelectorAll("*")].filter(hasText);
  const hash = (text) => {
    let [one, other] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 2654435761);
      other = Math.imul(other ^ code, 1597334677);
    }
    return (one >>> 0).toString(36) + (other >>> 0).toString(36);
  };
  const look = document.documentElement.dataset.theme + innerWidth + " ";
  return globalThis.texts_of_page.map((element) => hash(look + kindOf(element)));
}`;

/** Of rows that differ in their words alone, so many are checked. */
const ROWS_OF_A_KIND = 3;

/**
 * The rows of a table or a list that differ from earlier rows of it in their words alone: elements, attributes, classes, roles and
 * states are equal, and what says something says something in each. What a rule finds in one of them, it finds in an earlier row. The
 * time of a check is the contrast of each text, and a page with fifty rows has some three hundred. The first rows and the
 * last are checked, which a style may tell from the others.
 */
const REPEATED_ROWS = `(() => {
  const isWorded = (text) => (text.trim() === "" ? "" : "worded");
  const kindOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return isWorded(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    const attributes = [...node.attributes].map(({ name, value }) =>
      name + "=" + (/^(id|for|href|title|value|datetime|data-hint|name|d|aria-(label|labelledby|describedby|controls))$/.test(name) ? isWorded(value) : value));
    return "<" + [node.localName, ...attributes].join(" ") + ">" + [...node.childNodes].map(kindOf).join("") + "</>";
  };
  const seen = new Map();
  return [...document.querySelectorAll("tbody > tr, ul > li, ol > li")].filter((row) => {
    if (row.nextElementSibling === null || row.matches(":hover, :focus-within")) return false;
    const kinds = seen.get(row.parentElement) ?? new Map();
    seen.set(row.parentElement, kinds);
    const kind = kindOf(row);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return kinds.get(kind) > ${ROWS_OF_A_KIND};
  });
})()`;

/** Two frames first: transitions begin when the new theme is drawn, and end some frames later. */
const STILL = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() =>
  Promise.all(document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined)))).then(() =>
  new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))).then(() => undefined)`;

const debuggers = new WeakMap<Page, Promise<CDPSession>>();

/** One debugger for the life of the page: detaching it would remove the page's virtual passkey devices. */
function debuggerOf(page: Page): Promise<CDPSession> {
  const known = debuggers.get(page) ?? page.context().newCDPSession(page);
  debuggers.set(page, known);
  return known;
}

function describeViolation({ id, help, nodes }: axe.Result): string {
  const places = nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary ?? ""}`);
  return `${id} (${help}) at ${places.join("; ")}`;
}
