import { type Command, Option } from "commander";
import { amountText } from "../../contract/amounts.ts";
import { RefusalList, type RefusedDetail } from "../../contract/refusals.ts";
import { type FoundRequest, type ReceiptDetail, ReceiptList, FoundRequest as Shape } from "../../contract/requests.ts";
import { type CallOptions, type CommonOptions, callAndPrint, gatewayCommand, queryOf } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import type { GatewayOptions } from "./shared/gateway-client.ts";
import { formatFields, formatTable, money } from "./shared/table.ts";

/** `camino request`: lists requests, and prints a request's receipt (docs/rulings.md 26). */
export function addRequestCommand(program: Command, deps: CliDeps): void {
  const request = program.command("request").description("requests: how they ended, what they used and cost");
  addRequestList(request, deps);
  gatewayCommand(
    request,
    "show <request_id>",
    "a request's receipt, or why it was refused; by our id or the client's own",
  ).action((id: string, options: CommonOptions & GatewayOptions) =>
    callAndPrint(deps, options, { method: "GET", path: ["requests", id], answer: Shape }, described),
  );
}

function described(found: FoundRequest): string {
  return found.object === "refused_request" ? inWordsOfRefused(found) : inWords(found);
}

function inWordsOfRefused(refused: RefusedDetail): string {
  return formatFields([
    ["id", refused.id],
    ["client's id", refused.client_request_id],
    ["created", refused.created_at],
    ["endpoint", refused.endpoint],
    ["account", refused.account],
    ["key", refused.key.name === "" ? refused.key.id : `${refused.key.name} (${refused.key.id})`],
    ["asked for", refused.requested_model ?? "not read"],
    ["model", refused.model],
    ["status", "refused; no vendor was asked, nothing was charged"],
    ["error", `${refused.http_status} ${refused.error}${refused.param === null ? "" : ` (${refused.param})`}`],
    ["message", refused.message],
  ]);
}

function inWords(receipt: ReceiptDetail): string {
  const { usage, currency, attempts } = receipt;
  const fields = formatFields([
    ["id", receipt.id],
    ["created", receipt.created_at],
    ["endpoint", receipt.endpoint],
    ["model", receipt.model],
    ["asked for", receipt.requested_model],
    ["status", statusInWords(receipt)],
    ["tokens", usage === null ? "none" : tokens(usage, receipt.estimated)],
    ["held", money(receipt.hold_micro, currency)],
    ["charged", money(receipt.charge_micro, currency)],
    ["operator's loss", receipt.operator_loss_micro > 0 ? money(receipt.operator_loss_micro, currency) : null],
    ["engine's calls", receipt.upstream_cost_micro === null ? null : money(receipt.upstream_cost_micro, currency)],
    ["price list", receipt.price.variant],
    ["not priced", usage?.unpriced?.join(", ")],
  ]);
  const tried = attempts.length === 0 ? "No vendor was asked." : tableOfAttempts(attempts);
  const lines = receipt.lines.map(
    ({ class: name, count, price_micro, unit }) =>
      `${name} ${count} × ${amountText(price_micro)} per ${PRICED_BY[unit]}`,
  );
  return [fields, ...lines, "", tried].join("\n");
}

const PRICED_BY: Readonly<Record<ReceiptDetail["lines"][number]["unit"], string>> = {
  token: "million",
  call: "thousand calls",
  character: "million",
  second: "minute",
  image: "image",
  search: "1k searches",
};

function statusInWords({ outcome, status, error, late }: ReceiptDetail): string {
  const notes = [
    status,
    ...(error === null ? [] : [error]),
    ...(late ? ["late: a correction booked the difference"] : []),
  ];
  return `${outcome} (${notes.join("; ")})`;
}

function tokens(usage: NonNullable<ReceiptDetail["usage"]>, estimated: boolean): string {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  return `${input} in, ${usage.output_tokens} out${estimated ? ", estimated" : ""}`;
}

function tableOfAttempts(attempts: ReceiptDetail["attempts"]): string {
  const columns = ["vendor", "model", "status", "error", ">calls", ">failures", ">began ms", ">ms"];
  const rows = attempts.map((attempt) => {
    const { vendor, upstream_model, status, error, calls = 1, failures = Number(error !== null) } = attempt;
    const { started_ms, duration_ms, credential } = attempt;
    const asked = credential === undefined ? vendor : `${vendor} (${credential})`;
    return [
      ...[asked, upstream_model, String(status ?? ""), error ?? ""],
      ...[calls, failures, started_ms ?? "", Math.round(duration_ms)].map(String),
    ];
  });
  const said = attempts.flatMap(({ vendor, said: sentence }) =>
    sentence === null ? [] : [`${vendor} said: ${sentence}`],
  );
  const chosen = attempts.flatMap(({ vendor, credential, why, passed_over = [] }) => {
    if (why === undefined && passed_over.length === 0) return [];
    const named = credential === undefined ? vendor : `${vendor} (${credential})`;
    return [
      [`${named} was asked by: ${why ?? "turn"}`, ...passed_over.map((each) => `passed over ${each}`)].join("; "),
    ];
  });
  return [formatTable(columns, rows), ...chosen, ...said].join("\n");
}

const STATUSES = ["running", "answered", "failed", "left", "refused"] as const;

/** `camino request list`: the newest requests, or those that were refused, summed up by minute. */
function addRequestList(request: Command, deps: CliDeps): void {
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
    .action((options: CallOptions) => {
      const { status, project, tag, model, ...query } = queryOf(options);
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
