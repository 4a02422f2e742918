import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../../core/ascii.ts";
import type { Price } from "../../core/money/price.ts";
import { lifetimeClass } from "../../core/money/price-classes.ts";
import { endOfString, endOfValue, skipWhitespace } from "./json-walk.ts";
import { parseJson } from "./parse-json.ts";

/**
 * Lifetimes of what a request has cached (`ttl`). A longer one costs more: without a price of its own it is left out and named, and
 * the vendor caches for its usual time (docs/rulings.md 144).
 */

/** The members whose `ttl` is such a lifetime, in every protocol. */
const HOLDERS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_options", "prompt_cache_breakpoint"]);

/** Whether what is written for this lifetime has a price: that of the class for the usual ones, else one of its own. */
export function isPricedLifetime(ttl: unknown, { parts_micro_per_mtok: parts }: Price): boolean {
  if (ttl === null || ttl === undefined) return true;
  const found = typeof ttl === "string" ? lifetimeClass(ttl) : null;
  return found !== null && (found === "usual" || parts?.[found] !== undefined);
}

/** Whether a body may have a lifetime: it has the word, any letter of which may be written as an escape. */
export function mayHaveLifetimes(text: string): boolean {
  return text.includes("ttl") || text.includes("\\u00");
}

export interface PricedText {
  readonly text: string;
  /** What was left out: `cache_control.ttl`. */
  readonly left_out: readonly string[];
}

/**
 * A body's text without lifetimes that have no price; null where all have one, as in nearly all bodies, which are only searched for
 * the word. The text is JSON that has been read.
 */
export function withPricedLifetimes(text: string, price: Price | undefined): PricedText | null {
  if (price === undefined || !mayHaveLifetimes(text)) return null;
  const cuts: Cut[] = [];
  const left_out = new Set<string>();
  for (const { holder, start, value_start, end } of lifetimesIn(text)) {
    if (isPricedLifetime(parseJson(text.slice(value_start, end)), price)) continue;
    cutMember(text, cuts, { start, end });
    left_out.add(`${holder}.ttl`);
  }
  if (cuts.length === 0) return null;
  let kept = "";
  let from = 0;
  for (const { start, end } of cuts) {
    kept += text.slice(from, start);
    from = end;
  }
  return { text: kept + text.slice(from), left_out: [...left_out] };
}

interface Cut {
  readonly start: number;
  readonly end: number;
}

/** Cuts a member out with the comma behind it, or with the one before it where it is the last. */
function cutMember(text: string, cuts: Cut[], { start, end }: Cut): void {
  const after = skipWhitespace(text, end);
  if (text.charCodeAt(after) === COMMA) {
    cuts.push({ start, end: after + 1 });
    return;
  }
  let from = start;
  for (;;) {
    while (from > 0 && /\s/.test(text[from - 1] ?? "")) from--;
    const before = cuts.at(-1);
    // A member that is there twice: the comma before this one is cut already.
    if (before === undefined || before.end < from) break;
    cuts.pop();
    from = before.start;
  }
  cuts.push({ start: text.charCodeAt(from - 1) === COMMA ? from - 1 : from, end });
}

interface Lifetime {
  readonly holder: string;
  /** Where the member begins, its value, and where both end. */
  readonly start: number;
  readonly value_start: number;
  readonly end: number;
}

/** The members `ttl` of holders, in one walk through the text that looks into no string. */
function* lifetimesIn(text: string): Generator<Lifetime> {
  const holders: string[] = [];
  let key = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) {
      holders.push(key);
      key = "";
    } else if (code === OPEN_BRACKET) key = "";
    else if (code === CLOSE_BRACE) {
      holders.pop();
      key = "";
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      const colon = skipWhitespace(text, end);
      if (text.charCodeAt(colon) === COLON) {
        key = end - at > LONGEST_KEY ? "" : String(parseJson(text.slice(at, end)));
        const holder = holders.at(-1) ?? "";
        if (key === "ttl" && HOLDERS.has(holder)) {
          const value_start = skipWhitespace(text, colon + 1);
          const value_end = endOfValue(text, value_start);
          yield { holder, start: at, value_start, end: value_end };
          at = value_end - 1;
          continue;
        }
      } else key = "";
      at = end - 1;
    }
  }
}

/** No holder's name is longer, each letter of it as an escape. */
const LONGEST_KEY = 200;
