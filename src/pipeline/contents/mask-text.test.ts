import { expect, test } from "bun:test";
import type { ContentMask } from "../../core/catalog/content-settings.ts";
import { ContentMasker } from "./mask-text.ts";

const EMAIL: ContentMask = { kind: "email" };
const CARD: ContentMask = { kind: "card" };
const PHONE: ContentMask = { kind: "phone" };

test.each<[what: string, masks: ContentMask[], text: string, masked: string]>([
  [
    "text without any stays as it is written",
    [EMAIL, CARD],
    '{ "n": 1.50, "t": "hello" }',
    '{ "n": 1.50, "t": "hello" }',
  ],
  ["an address", [EMAIL], '{"t":"to mary@example.com"}', '{"t":"to [email]"}'],
  ["an address behind an escape", [EMAIL], '{"t":"to mary\\u0040example.com"}', '{"t":"to [email]"}'],
  ["an address behind an escaped escape", [EMAIL], '"{\\"t\\":\\"mary@example.com\\"}"', '"{\\"t\\":\\"[email]\\"}"'],
  ["a card in groups", [CARD], '{"t":"4111 1111-1111 1111."}', '{"t":"[card]."}'],
  ["a card of escaped digits", [CARD], '{"t":"\\u0034111111111111111"}', '{"t":"[card]"}'],
  ["a card behind a newline's escape", [CARD], '{"t":"\\n4111111111111111"}', '{"t":"\\n[card]"}'],
  ["many digits that are no card", [CARD], '{"t":"4111111111111112"}', '{"t":"4111111111111112"}'],
  ["a telephone behind a newline's escape", [EMAIL, PHONE], '{"t":"\\n030 1234567"}', '{"t":"\\n[phone]"}'],
  ["plain text", [EMAIL, CARD], "mary@example.com pays with 4111111111111111", "[email] pays with [card]"],
])("masks %s", (_, masks, text, masked) => {
  expect(new ContentMasker(masks).text(text)).toBe(masked);
});
