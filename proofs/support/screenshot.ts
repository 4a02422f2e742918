import { join } from "node:path";
import type { Page } from "playwright-core";
import { DEVICES } from "./browser.ts";

const FOLDER = join(import.meta.dir, "../../docs/console");

/**
 * Pictures of the page as it is now, for docs/console.md: `docs/console/NAME-{desktop,phone}-{light,dark}.png`. Only where
 * SCREENSHOTS is set (`SCREENSHOTS=1 npm test -- proofs/suites/console`), so that a test run changes no file of the project.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  const before = page.viewportSize();
  for (const [device, size] of Object.entries(DEVICES)) {
    await page.setViewportSize(size);
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await page.screenshot({
        path: join(FOLDER, `${name}-${device}-${theme}.png`),
        scale: "css",
        animations: "disabled",
      });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before !== null) await page.setViewportSize(before);
}
