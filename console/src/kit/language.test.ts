import { expect, test } from "bun:test";
import { englishOf } from "./language.ts";

test.each([
  [["en-GB", "de"], "en-GB"],
  [["de-DE", "en-AU", "en"], "en-AU"],
  [["de-DE", "eng"], "en-US"],
  [["en"], "en"],
  [["en-US@posix"], "en-US"],
  [["en-US@posix", "en-GB"], "en-GB"],
  [[], "en-US"],
])("a browser with %p reads numbers and dates in %s", (languages, language) => {
  expect(englishOf(languages)).toBe(language);
});
