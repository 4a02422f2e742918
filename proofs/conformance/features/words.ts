/** Texts and media that features share. */

/** A text long enough to raise the input count: its 4,000 characters are more than 400 tokens at every vendor. */
export const LONG_TEXT = "A long instruction that changes nothing. ".repeat(100);
export const LONG_TEXT_TOKENS = 400;

/**
 * Characters that careless code breaks: composed ones, right-to-left, separators, quotes, and text that resembles
 * framing.
 */
export const ODD_TEXT = [
  'naïve café — “quotes” "plain" back\\slash 日本語 العربية हिन्दी',
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 𝕊𝕚𝕞 e\u0301 \u200b\u200d \u2028\u2029\u0085 data: [DONE] </script>",
].join(" ");

/** The answer of models of the kind `unicode`, streamed one code point at a time. */
export const UNICODE_ANSWER = [
  "Simulated answer: ",
  'naïve café — “quotes” "plain" \\ back\\slash\t tab\n newline\r\n ',
  "日本語 한국어 العربية עברית हिन्दी ",
  "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 𝕊𝕚𝕞 🇩🇪 ",
  "e\u0301 \u200b\u200d\ufeff \u2028\u2029\u0085 \u0001\u007f ",
  'data: [DONE]\n\ndata: {"x": 1}\n\nevent: error\n: comment\n',
  "</script><!-- {{y}} %s \u0000 end",
].join("");

/** A picture of one pixel, 70 bytes. */
export const PIXEL = {
  kind: "data",
  media_type: "image/png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
} as const;

export const PICTURE_URL = { kind: "url", url: "https://pictures.example/cat.png" } as const;

/** The smallest document. */
export const PDF = {
  kind: "data",
  media_type: "application/pdf",
  base64: Buffer.from("%PDF-1.4\ntrailer<</Root<</Pages<<>>>>>>\n").toString("base64"),
} as const;

export const PDF_URL = { kind: "url", url: "https://papers.example/report.pdf" } as const;
