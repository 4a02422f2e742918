import { perform } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";

/**
 * Text that breaks careless code: composed emoji, right-to-left, line separators, quotes, and text that resembles
 * framing.
 */
export const UNICODE_TEXT = [
  "Simulated answer: ",
  'naïve café — “quotes” "plain" \\ back\\slash\t tab\n newline\r\n ',
  "日本語 한국어 العربية עברית हिन्दी ",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 𝕊𝕚𝕞 🇩🇪 ",
  "e\u0301 \u200b\u200d\ufeff \u2028\u2029\u0085 \u0001\u007f ",
  'data: [DONE]\n\ndata: {"x": 1}\n\nevent: error\n: comment\n',
  "</script><!-- {{y}} %s \u0000 end",
].join("");

/** One piece per code point, so that composed characters are split between events but never within one. */
export function unicode(ask: Ask): Performance {
  return perform(ask, { blocks: [{ type: "text", pieces: [...UNICODE_TEXT] }] });
}
