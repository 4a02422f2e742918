import type { Locator, Page } from "playwright-core";
import type { TestBrowser } from "../../../support/browser.ts";
import type { Gateway } from "../../../support/gateway.ts";
import { signIn } from "../../../support/sign-in.ts";

/** A hand on mouse and keyboard, which is counted. A choice in a list is a click to open it and one to choose. */
export class Hand {
  readonly page: Page;
  readonly began_ms = performance.now();
  clicks = 0;
  fields = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  async type(into: Locator, text: string): Promise<void> {
    this.fields += 1;
    await into.fill(text);
  }

  async choose(list: Locator, label: string): Promise<void> {
    this.clicks += 2;
    await list.selectOption({ label });
  }

  link(name: string): Locator {
    return this.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** What the task took. */
  done(task: string): { clicks: number; fields: number } {
    const { clicks, fields, began_ms } = this;
    console.log(`${task} | ${clicks} | ${fields} | ${((performance.now() - began_ms) / 1000).toFixed(1)} s`);
    return { clicks, fields };
  }
}

/** A hand of an administrator who is signed in, on a page that is there. */
export async function administratorAt(browser: TestBrowser, gateway: Gateway, path: string): Promise<Hand> {
  const visitor = await browser.visit(gateway.url);
  await signIn(visitor, gateway);
  await visitor.page.goto(`/console${path}`);
  await visitor.page.locator("main h1").waitFor();
  return new Hand(visitor.page);
}
