import type { Locator, Page } from "playwright-core";

/**
 * What a user does on a page: presses what has this name (a button, a tab, an item of a menu) or this key, fills a field or chooses in it, ticks
 * all boxes of a name, or waits until a text is there. `at`: which of the fields of that name, from 0.
 */
export type Step =
  | string
  | { readonly into: string; readonly at?: number; readonly type: string }
  | { readonly into: string; readonly at?: number; readonly choose: string }
  | { readonly check: RegExp }
  | { readonly waits: string };

/** How long something may take to appear. */
export const PATIENCE_MS = 10_000;

export async function takeStep(page: Page, step: Step): Promise<void> {
  const timeout = PATIENCE_MS;
  if (typeof step === "string") {
    if (step.includes("+") || step.length === 1) await page.keyboard.press(step);
    else await named(page, step).click({ timeout });
  } else if ("check" in step) {
    for (const box of await page.getByRole("checkbox", { name: step.check }).all()) await box.check({ timeout });
  } else if ("waits" in step) {
    await page.getByText(step.waits).last().waitFor({ timeout });
  } else {
    const fields = page.getByLabel(step.into, { exact: true }).and(page.locator("input, textarea, select"));
    const field = fields.nth(step.at ?? 0);
    await field.fill("type" in step ? step.type : step.choose, { timeout });
    // Whoever leaves a list with a name in it has chosen that.
    if ("choose" in step) await page.keyboard.press("Tab");
  }
}

/** The first that has a name, whole or as a part of it. */
function named(page: Page, name: string): Locator {
  const roles = ["button", "menuitem", "tab"] as const;
  const [first, ...others] = roles.map((role) => page.getByRole(role, { name }));
  return others.reduce((found, other) => found.or(other), first as Locator).first();
}
