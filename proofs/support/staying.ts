import type { Page } from "playwright-core";
import { DEVICES, goTo, type TestBrowser } from "./browser.ts";
import type { Gateway } from "./gateway.ts";
import { type PersonOptions, signIn } from "./sign-in.ts";

/** A page that no test of this kind is about, from which each test comes to its own. */
const HALL = "/console/settings";

/**
 * The file's user, an administrator by default, at a page: signed in once, and in one document from test to test (`TestBrowser.stay`). For tests
 * that begin with a page and change data by it alone: what an answer or a toast said stays in the document for seconds.
 */
export async function stayAt(
  browser: TestBrowser,
  gateway: Gateway,
  path: string,
  person: PersonOptions = {},
): Promise<Page> {
  const { page } = await browser.stay(gateway.url, async (visitor) => {
    await signIn(visitor, gateway, person);
    await visitor.page.goto(HALL);
    await visitor.page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  });
  await page.setViewportSize(DEVICES.desktop);
  if (new URL(page.url()).pathname !== HALL) {
    await goTo(page, HALL);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  }
  await goTo(page, `/console${path}`);
  return page;
}
