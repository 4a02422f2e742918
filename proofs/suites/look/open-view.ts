import type { Page } from "playwright-core";
import type { LargeShowcase } from "../../support/large-showcase.ts";
import { PATIENCE_MS, takeStep } from "./steps.ts";
import type { View } from "./views.ts";

/** The pages of those who look: somebody signed in, and somebody who is not. */
export interface Pages {
  readonly page: Page;
  readonly stranger: Page;
}

/** Opens a view in the page of the one who looks, which is returned when all of it is there. Throws where a step cannot be done. */
export async function openView(view: View, showcase: LargeShowcase, { page: own, stranger }: Pages): Promise<Page> {
  const page = view.visitor === "signed-out" ? stranger : own;
  // The same address with another fragment would load nothing.
  await page.goto("about:blank");
  await page.goto(`/console${view.path(showcase)}`);
  await page.locator("h1").first().waitFor({ timeout: PATIENCE_MS });
  await page.waitForLoadState("networkidle");
  if (view.visitor === "ended") await endSession(page);
  for (const step of view.steps ?? []) await takeStep(page, step);
  if (view.dialog) await page.getByRole("dialog").first().waitFor({ timeout: PATIENCE_MS });
  await page.waitForLoadState("networkidle");
  return page;
}

/** Makes the gateway take the page's session for one that has ended: it does not know the cookie. */
async function endSession(page: Page): Promise<void> {
  const context = page.context();
  const cookies = await context.cookies();
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, value: "ended" })));
}
