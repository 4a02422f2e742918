import type { Key } from "../../contract/keys.ts";
import { launchBrowser, type TestBrowser, type VisitOptions, type Visitor } from "./browser.ts";
import { startConsoleGateway } from "./console-gateway.ts";
import type { Gateway } from "./gateway.ts";
import { signIn } from "./sign-in.ts";

/** A gateway of the models that people know, and a browser before it: what most tests of one page begin with. */
export interface ConsoleScene extends AsyncDisposable {
  readonly browser: TestBrowser;
  readonly gateway: Gateway;
  /** A visitor who owns a new account with a credit of 25, signed in. Only inside of a test. */
  member(options?: VisitOptions): Promise<Visitor & { readonly account: string }>;
  makeKey(account: string, fields: object): Promise<Key & { readonly key: string }>;
}

export async function startConsoleScene(): Promise<ConsoleScene> {
  const [browser, running] = await Promise.all([launchBrowser(), startConsoleGateway()]);
  const { gateway } = running;
  let accounts = 0;
  return {
    browser,
    gateway,
    member: async (options = {}) => {
      accounts += 1;
      const fields = { email: `owner-${accounts}@example.com`, credit: "25" };
      const { id: account } = await gateway.admin<{ id: string }>("POST", "/accounts", fields);
      const visitor = await browser.visit(gateway.url, options);
      await signIn(visitor, gateway, { role: "member", account });
      return { ...visitor, account };
    },
    makeKey: (account, fields) => gateway.admin("POST", "/keys", { account, ...fields }),
    [Symbol.asyncDispose]: async () => {
      await browser[Symbol.asyncDispose]();
      await running[Symbol.asyncDispose]();
    },
  };
}
