import { Names } from "../../../contract/names.ts";
import type { CliDeps } from "./deps.ts";
import { callGateway, type GatewayOptions } from "./gateway-client.ts";

/** How many names one call asks for. */
const AT_ONCE = 100;

/** The e-mails of accounts by their ids; of an account that is gone, and for a management key that may not read names, none. */
export async function accountEmails(
  deps: CliDeps,
  options: GatewayOptions,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  const asked = [...new Set(accounts)];
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const ids = asked.slice(at, at + AT_ONCE).join(",");
    const call = { method: "GET", path: ["names"], query: { ids }, answer: Names } as const;
    const { names } = await callGateway(deps, options, call).catch(() => ({ names: {} }));
    for (const [id, email] of Object.entries(names)) emails.set(id, email);
  }
  return emails;
}
