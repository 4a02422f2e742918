/** Browsers in the order of the test: most browsers also claim to be the browsers below them. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?(Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** A browser in words, such as "Firefox on Windows", as far as the user agent shows it. */
export function describeBrowser(user_agent: string | null): string {
  if (user_agent === null) return "Unknown browser";
  const browser = BROWSERS.find(([pattern]) => pattern.test(user_agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(user_agent))?.[1];
  if (browser === undefined) return user_agent.split(" ")[0] || "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
