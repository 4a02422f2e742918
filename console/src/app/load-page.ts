import { call } from "../api/call.ts";

/** Thrown where a page's code could not be loaded because the gateway was not there. */
export class PageNotLoaded extends Error {
  override readonly name = "PageNotLoaded";
}

/**
 * Loads a page's code. The router loads the whole console again where code is not there, as it is after an upgrade; without a
 * gateway that would end in the browser's own error page, so then the failure is shown in the console (failure.tsx).
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (thrown) {
    if (await isReachable()) throw thrown;
    const message =
      "The gateway cannot be reached, and this page was not loaded yet. It opens when the gateway is back.";
    throw new PageNotLoaded(message, { cause: thrown });
  }
}

async function isReachable(): Promise<boolean> {
  try {
    await call("GET /session/methods", {});
    return true;
  } catch {
    return false;
  }
}
