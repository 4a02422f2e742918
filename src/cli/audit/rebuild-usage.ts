import { RebuiltUsage } from "../../../contract/books.ts";
import type { CliDeps } from "../deps.ts";
import { callGateway, type GatewayOptions } from "../gateway-client.ts";
import { counted } from "../table.ts";

/**
 * Has the running gateway count days' usage and keys' counters anew, part by part, and prints the changes. It is the
 * gateway's work, because only the books' own writer may write while calls run.
 */
export async function rebuildUsage(
  deps: CliDeps,
  options: GatewayOptions & { readonly account?: string },
): Promise<string> {
  const lines: string[] = [];
  let accounts = 0;
  for (let after: string | null = ""; after !== null; ) {
    const body: object = {
      ...(options.account !== undefined && { account: options.account }),
      ...(after !== "" && { after }),
    };
    const call = { method: "POST", path: ["books", "rebuild-usage"], body, answer: RebuiltUsage } as const;
    const part: RebuiltUsage = await callGateway(deps, options, call);
    accounts += part.accounts;
    for (const { key, model, day, was, is } of part.changed) {
      lines.push(`${key}${model === null ? "" : `, ${model}`}${day === null ? "" : `, ${day}`}: ${was}; now ${is}`);
    }
    after = part.next;
  }
  const summary = `camino: counted the usage of ${counted(accounts, "account")} anew; ${counted(lines.length, "counter")} changed`;
  return [...lines, summary].map((line) => `${line}\n`).join("");
}
