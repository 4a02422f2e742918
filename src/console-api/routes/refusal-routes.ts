import { type RefusalList, RefusalsQuery } from "../../../contract/refusals.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { given } from "../../core/given.ts";
import type { RefusalSum } from "../../core/operations/refusals.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";
import { readTime, requireOrder } from "../read/read-time.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { showTime } from "../show/show.ts";

/** Listed before the routes of single requests, whose ids begin with `req_`. */
export const refusalRoutes = [route("GET /requests/refused", "member", { query: RefusalsQuery, handle: listRefusals })];

const USUAL_LIMIT = 50;
const FILE_LIMIT = 5000;
const MS_PER_MINUTE = 60_000;

async function listRefusals(call: ConsoleCall<unknown, RefusalsQuery>): Promise<ConsoleAnswer> {
  const { account, key, code, q, limit, format = "json" } = call.query;
  const from_ms = readTime(call.query.from, "from");
  const to_ms = readTime(call.query.to, "to");
  requireOrder({ from: from_ms, to: to_ms });
  const { accounts } = call.deps;
  const usual = format === "csv" ? FILE_LIMIT : USUAL_LIMIT;
  const { sums, next_to_ms } = await accounts.listRefusals({
    account_id: await requireAccounts(call, account),
    ...given({ key_id: key, code, search: q, from_ms, to_ms }),
    limit: limit === undefined ? usual : Number(limit),
  });
  const data = await shown(sums, accounts);
  if (format === "csv") return download(data);
  const next_to = next_to_ms === null ? null : showTime(next_to_ms);
  return { status: 200, body: { object: "list", data, next_to } satisfies RefusalList };
}

async function shown(
  sums: readonly RefusalSum[],
  accounts: Pick<AccountStore, "labelAccounts" | "labelKeys">,
): Promise<RefusalList["data"]> {
  const [emails, keys] = await Promise.all([
    accounts.labelAccounts(sums.map(({ account_id }) => account_id)),
    accounts.labelKeys(sums.flatMap(({ key_id }) => (key_id === "" ? [] : [key_id]))),
  ]);
  const email_of = new Map(emails.map(({ id, email }) => [id, email]));
  const name_of = new Map(keys.map(({ id, name }) => [id, name]));
  return sums.map((sum) => ({
    minute: showTime(sum.minute * MS_PER_MINUTE),
    account: sum.account_id,
    account_email: email_of.get(sum.account_id) ?? "",
    key_id: sum.key_id || null,
    key_name: name_of.get(sum.key_id) ?? null,
    endpoint: sum.endpoint || null,
    ...{ code: sum.code, status: sum.status, count: sum.count },
    last: {
      request_id: sum.request_id,
      client_request_id: sum.client_request_id,
      model: sum.model || null,
      param: sum.param,
      at: showTime(sum.last_ms),
    },
  }));
}

function download(data: RefusalList["data"]): ConsoleAnswer {
  const head = ["minute", "account", "account_email", "key", "key_name", "endpoint", "status", "code", "count"];
  const last = ["last_request", "last_client_request", "last_model", "last_param", "last_at"];
  const rows = data.map((sum) => [
    ...[sum.minute, sum.account, sum.account_email, sum.key_id, sum.key_name, sum.endpoint],
    ...[sum.status, sum.code, sum.count],
    ...[sum.last.request_id, sum.last.client_request_id, sum.last.model, sum.last.param, sum.last.at],
  ]);
  return csvAnswer("refused-requests", [[...head, ...last], ...rows]);
}
