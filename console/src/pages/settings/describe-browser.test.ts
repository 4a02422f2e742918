import { expect, test } from "bun:test";
import { describeBrowser } from "./describe-browser.ts";

test.each([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36 Edg/147.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.1 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 CriOS/147.0 Mobile Safari/604.1",
    "Chrome on iOS",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on Linux"],
  ["curl/8.9.1", "curl/8.9.1"],
  ["", "Unknown browser"],
  [null, "Unknown browser"],
])("%s is %s", (user_agent, name) => {
  expect(describeBrowser(user_agent)).toBe(name);
});
