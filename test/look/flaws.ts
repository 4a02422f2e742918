/**
 * What a reader of a page cannot see or read, in sentences. Evaluated in the page: a page that scrolls sideways, a text that is cut without a
 * hint that has all of it or without a sign that it is, and a word or a number that is broken within, but for what has no words: secrets and ids that we make, which say so by `break-all`.
 */
export const FLAWS = `(() => {
  const said = new Set();
  if (document.documentElement.scrollWidth > innerWidth + 1) said.add("the page scrolls sideways");
  const within = document.querySelector("[role=dialog]") ?? document.querySelector("main") ?? document.body;
  const shown = (element) => element.getClientRects().length > 0 && !element.closest(".sr-only");
  const short = (text) => JSON.stringify(text.trim().slice(0, 60));
  for (const element of within.querySelectorAll("*")) {
    const { webkitLineClamp, textAlign } = getComputedStyle(element);
    // The browser writes the dots behind the last line, where a line that is aligned at its end has no room for them.
    if (webkitLineClamp !== "none" && /end|right/.test(textAlign) && element.scrollHeight > element.clientHeight + 1)
      said.add("cuts without a sign " + short(element.textContent));
    if (!shown(element) || element.closest("svg, [data-hint], textarea, input, select, pre, code")) continue;
    const style = getComputedStyle(element);
    // A table's head that a phone has in its cards is there for readers of the screen alone.
    if (element.clientWidth <= 1 || element.closest("thead")?.clientWidth <= 1) continue;
    const is_cut = style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1;
    if (is_cut && !element.querySelector("[data-hint]") && element.textContent.trim() !== "") said.add("cuts " + short(element.textContent));
  }
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (!shown(parent) || parent.closest("thead")?.clientWidth <= 1 || parent.closest("svg, pre, textarea, option")) continue;
    if (getComputedStyle(parent).wordBreak === "break-all") continue;
    for (const word of node.data.matchAll(/[A-Za-z]{3,}|[$\\d][\\d,]{2,}(\\.\\d+)?/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) said.add("breaks the word " + short(word[0]) + " of " + short(node.data));
    }
  }
  return [...said].slice(0, 6);
})()`;
