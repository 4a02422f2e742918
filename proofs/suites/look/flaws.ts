/**
 * What a reader of a page cannot see or read, in sentences. Evaluated in the page: a page that scrolls sideways, a text that is cut without a
 * hint that has all of it or without a sign that it is, and a word or a number that is broken within (in a table a time from its unit), but for what has no words: secrets and ids that we make, which say so by `break-all`.
 * Also a text that leaves its place, and what can be pressed over something else that can.
 */
export const FLAWS = `(() => {
  const said = new Set();
  if (document.documentElement.scrollWidth > innerWidth + 1) said.add("the page scrolls sideways");
  const within = document.querySelector("[role=dialog]") ?? document.querySelector("main") ?? document.body;
  const shown = (element) => element.getClientRects().length > 0 && !element.closest(".sr-only");
  const short = (text) => JSON.stringify(text.trim().slice(0, 60));
  const style = (element, name) => getComputedStyle(element)[name];
  // What is read aloud alone has one point, and what is cut is told by itself.
  const isWhole = (element, place) => {
    if (element.offsetWidth <= 1 || place.closest("[data-more]")) return false;
    for (let box = element; box !== place.parentElement; box = box.parentElement)
      if (style(box, "overflowX") !== "visible") return false;
    return true;
  };
  for (const element of within.querySelectorAll("*")) {
    const { webkitLineClamp, textAlign } = getComputedStyle(element);
    // The browser writes the dots behind the last line, where a line that is aligned at its end has no room for them.
    if (webkitLineClamp !== "none" && /end|right/.test(textAlign) && element.scrollHeight > element.clientHeight + 1)
      said.add("cuts without a sign " + short(element.textContent));
    if (!shown(element) || element.closest("svg, [data-hint], textarea, input, select, pre, code")) continue;
    // A table's head that a phone has in its cards is there for readers of the screen alone.
    if (element.clientWidth <= 1 || element.closest("thead")?.clientWidth <= 1) continue;
    const is_cut = style(element, "overflowX") === "hidden" && element.scrollWidth > element.clientWidth + 1;
    if (is_cut && !element.querySelector("[data-hint]") && element.textContent.trim() !== "") said.add("cuts " + short(element.textContent));
  }
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (!shown(parent) || parent.closest("thead")?.clientWidth <= 1 || parent.closest("svg, pre, textarea, option")) continue;
    const place = parent.closest("dd, dt, p, td, th, li, h1, h2, h3, label");
    const may_leave = place !== null && isWhole(parent, place);
    if (style(parent, "wordBreak") === "break-all") continue;
    for (const word of node.data.matchAll(/\\d[\\d,.]* m?s\\b|[A-Za-z]{3,}|[$\\d][\\d,]{2,}(\\.\\d+)?/g)) {
      // A sentence may go on in its next line behind a number, a table's cell may not.
      if (word[0].includes(" ") && !parent.closest("td")) continue;
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      // Of a word, since the spaces at a line's end have no place of their own.
      if (may_leave && range.getBoundingClientRect().right > place.getBoundingClientRect().right + 2) said.add("leaves its place " + short(node.data));
      if (lines.size > 1) said.add("breaks the word " + short(word[0]) + " of " + short(node.data));
    }
  }
  // What of a part of the page is seen within the boxes that scroll.
  const seenOf = (element) => (line) => {
    let { left, right, top, bottom } = line;
    for (let box = element.parentElement; box !== null; box = box.parentElement) {
      if (style(box, "overflowX") === "visible") continue;
      const edge = box.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, edge.left), Math.min(right, edge.right), Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    return { element, left, right, top, bottom };
  };
  const stays = (element) => element !== null && (/fixed|sticky/.test(style(element, "position")) || stays(element.parentElement));
  const pressed = [...within.querySelectorAll("button, a[href], [role=tab]")].filter((element) => shown(element) && (within.role === "dialog" || !stays(element)));
  const lines = pressed.flatMap((element) => [...element.getClientRects()].map(seenOf(element)));
  for (const [at, a] of lines.entries())
    for (const b of lines.slice(at + 1)) {
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
      if (over) said.add("lays " + short(b.element.textContent) + " over " + short(a.element.textContent));
    }
  return [...said].slice(0, 6);
})()`;
