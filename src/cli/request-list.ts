import { type Command, Option } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { RefusalList } from "../../contract/refusals.ts";
import { ReceiptList, type RequestOutcome } from "../../contract/requests.ts";
import { type CommonOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import type { GatewayOptions } from "./shared/gateway-client.ts";
import { formatTable } from "./shared/table.ts";

const STATUSES = ["running", "answered", "failed", "left", "refused"] as const;

interface ListOptions extends CommonOptions, GatewayOptions {
  readonly account?: string;
  readonly key?: string;
  readonly project?: string;
  readonly tag?: string;
  readonly model?: string;
  readonly status?: RequestOutcome | "refused";
  readonly from?: string;
  readonly to?: string;
  readonly limit: string;
}

/** `camino request list`: the newest requests, or those that were refused, summed up by minute. */
export function addRequestList(request: Command, deps: CliDeps): void {
  gatewayCommand(request, "list", "the newest requests, by status")
    .option("--account <account>", "of one account, by e-mail or id (default: all)")
    .option("--key <key>", "with one key, by id")
    .option("--project <project_id>", "of one project, or none for those of no project; not for refused requests")
    .option("--tag <name=value>", "with this tag, or NAME= for those without it; not for refused requests")
    .option("--model <model>", "of one model; not for refused requests")
    .addOption(new Option("--status <status>", "with this status").choices(STATUSES))
    .option("--from <time>", "that arrived at this time or later, YYYY-MM-DD (UTC) or RFC 3339")
    .option("--to <time>", "that arrived before this time")
    .option("--limit <count>", "how many, 1 to 500", "50")
    .action(({ account, key, project, tag, model, status, from, to, limit, ...options }: ListOptions) => {
      const query = { account, key, from, to, limit };
      if (status === "refused") {
        const refused = { method: "GET", path: ["requests", "refused"], query, answer: RefusalList } as const;
        return callAndPrint(deps, options, refused, tableOfRefused);
      }
      const asked = { ...query, project, tag, model, outcome: status };
      const list = { method: "GET", path: ["requests"], query: asked, answer: ReceiptList } as const;
      return callAndPrint(deps, options, list, tableOfRequests);
    });
}

function tableOfRequests({ data, refused, currency, has_more, searched_back_to, names }: ReceiptList): string {
  const more = has_more ? [`More follow, before ${searched_back_to}: ask with --to.`] : [];
  if (data.length + refused.length === 0) return ["No request matches.", ...more].join("\n");
  const columns = ["time", "id", "status", "error", "account", "model", ">ms", `>charge ${currency}`];
  const all = [...data, ...refused].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
  const rows = all.map((receipt) => [
    ...[receipt.created_at, receipt.id, receipt.outcome, receipt.error ?? ""],
    ...[names.accounts[receipt.account] ?? receipt.account, receipt.model || (receipt.requested_model ?? "")],
    ...["duration_ms" in receipt ? String(receipt.duration_ms ?? "") : "", amountText(receipt.charge_micro)],
  ]);
  return [formatTable(columns, rows), ...more].join("\n");
}

function tableOfRefused({ data, next_to }: RefusalList): string {
  const more = next_to === null ? [] : [`More follow: ask with --to ${next_to}.`];
  if (data.length === 0) return ["No refused request matches.", ...more].join("\n");
  const columns = ["minute", "status", "error", "account", "key", ">requests", "newest"];
  const rows = data.map(({ minute, status, code, last, account, account_email, key_id, count }) => [
    ...[minute, String(status), last.param === null ? code : `${code} (${last.param})`, account_email || account],
    ...[key_id ?? "several", String(count), last.client_request_id ?? last.request_id],
  ]);
  return [formatTable(columns, rows), ...more].join("\n");
}
