import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { violationsIn, violationsOn } from "./axe.ts";

/** Checks the current page by every rule of axe, best practices included. */
export async function checkAccessibility(page: Page): Promise<void> {
  expect(await violationsOn(page)).toEqual([]);
}

/**
 * Checks the current page in both themes, which differ only in colours: by every rule in light, and by the rules about
 * colours in dark. For a page whose dark form differs in more than colours, use checkAccessibility in dark. The page is left in the theme that it
 * was not in, so that each check changes the theme once.
 */
export async function checkBothThemes(page: Page): Promise<void> {
  const is_dark = await page.evaluate<boolean>("document.documentElement.dataset.theme === 'dark'");
  for (const theme of is_dark ? (["dark", "light"] as const) : (["light", "dark"] as const))
    expect(await violationsIn(page, theme)).toEqual([]);
}
