import type { Cell } from "../../../contract/csv.ts";
import { type RefusalList, RefusalsQuery } from "../../../contract/refusals.ts";
import { type FoundRequest, type Receipt, type ReceiptList, RequestsQuery } from "../../../contract/requests.ts";
import { splitTag, tagTexts } from "../../../contract/tag-rules.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { RequestRecord } from "../../core/ledger/ledger.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import type { RefusalSum, RefusedRequest } from "../../core/operations/refusals.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { receiptGone } from "../../ledger/receipt.ts";
import { accountsOf, mayIn, readerOf, sees } from "../answer/actor.ts";
import { projectAsked, readPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccounts } from "../answer/scope.ts";
import { readSpan } from "../read/read-time.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { showTime } from "../show/show.ts";
import { showReceipt, showReceiptDetail, showRefused } from "../show/show-receipt.ts";

export const requestRoutes = [
  route("GET /requests", "member", {
    query: RequestsQuery,
    handle: async (call) =>
      call.query.format === "csv" ? await download(call) : { status: 200, body: await listRequests(call) },
  }),
  // Before the routes of single requests, whose ids begin with `req_`.
  route("GET /requests/refused", "member", { query: RefusalsQuery, handle: listRefusals }),
  route("GET /requests/{request}", "member", { show: findReceipt }),
];

/** The most receipts of a file, and the most pages that are searched for them. */
const FILE_RECEIPTS = 5000;
const FILE_PAGES = 10;

/** Page by page, so that no more than a file is ever in memory. */
async function download(call: ConsoleCall<unknown, RequestsQuery>): Promise<ConsoleAnswer> {
  const receipts: Receipt[] = [];
  const names: ReceiptList["names"] = { accounts: {}, keys: {}, projects: {} };
  let before = call.query.before;
  for (let pages = 0; pages < FILE_PAGES && receipts.length < FILE_RECEIPTS; pages += 1) {
    const query = { ...call.query, limit: "500", ...(before === undefined ? {} : { before }) };
    const page = await listRequests({ ...call, query });
    receipts.push(...page.data);
    Object.assign(names.accounts, page.names.accounts);
    Object.assign(names.keys, page.names.keys);
    Object.assign(names.projects, page.names.projects);
    if (page.next_before === null) break;
    before = page.next_before;
  }
  return csvAnswer("requests", [COLUMNS, ...receipts.map((receipt) => rowOf(receipt, names))]);
}

async function listRequests(call: ConsoleCall<unknown, RequestsQuery>): Promise<ReceiptList> {
  const { account, key, project, tag, model, status, outcome, endpoint, q } = call.query;
  const asked_tag = tag === undefined ? null : splitTag(tag);
  const { currency } = call.deps.configuration;
  const { from_ms, to_ms } = readSpan(call.query);
  const account_id = await requireAccounts(call, account);
  const { requests, next_before, searched_back_to_ms } = await call.deps.accounts.listRequests({
    account_id,
    ...(project === undefined ? {} : { project_id: projectAsked(project) }),
    ...(asked_tag === null ? {} : { tag: asked_tag }),
    ...given({ key_id: key, model, status, outcome, endpoint, search: q, from_ms, to_ms }),
    ...readPage(call.query),
  });
  const span = { last_ms: searched_back_to_ms, from_ms, to_ms };
  const refused = await refusedBeside(call, account_id, span);
  const names = await namesOf(call.deps.accounts, requests, refused);
  return {
    object: "list",
    data: requests.map((record) => showReceipt(record, currency, readerOf(call.actor))),
    has_more: next_before !== null,
    next_before,
    currency,
    searched_back_to: searched_back_to_ms === null ? null : showTime(searched_back_to_ms),
    refused: refused.map(showRefused),
    names,
  };
}

/** How many refused requests stand beside a page of receipts. */
const REFUSED_SHOWN = 50;

/** The refused requests of a page's time. A page ends with its last receipt, where older ones follow. */
async function refusedBeside(
  { deps: { accounts }, query }: ConsoleCall<unknown, RequestsQuery>,
  account_id: string | null,
  span: { readonly last_ms: number | null; readonly from_ms: number | undefined; readonly to_ms: number | undefined },
): Promise<readonly RefusedRequest[]> {
  const { project, tag, status, outcome, key, model, endpoint, q, before } = query;
  if ([project, tag, status, outcome].some((filter) => filter !== undefined)) return [];
  const from_ms = span.last_ms ?? span.from_ms;
  // Beside the pages that follow: what is older than the receipt that they begin behind.
  const to_ms = before === undefined ? span.to_ms : (await accounts.findRequest(account_id, before))?.created_ms;
  return await accounts.listRefusedRequests({
    account_id,
    ...given({ key_id: key, model, endpoint, search: q, from_ms, to_ms }),
    limit: REFUSED_SHOWN,
  });
}

async function namesOf(
  store: Pick<AccountStore, "labelAccounts" | "labelKeys" | "labelProjects">,
  requests: readonly RequestRecord[],
  refused: readonly RefusedRequest[],
): Promise<ReceiptList["names"]> {
  const all = [...requests, ...refused];
  if (all.length === 0) return { accounts: {}, keys: {}, projects: {} };
  const [accounts, keys, projects] = await Promise.all([
    store.labelAccounts(all.map(({ account_id }) => account_id)),
    store.labelKeys(all.map(({ key_id }) => key_id)),
    store.labelProjects(requests.flatMap(({ project_id }) => (project_id === null ? [] : [project_id]))),
  ]);
  return {
    accounts: Object.fromEntries(accounts.map(({ id, email }) => [id, email])),
    keys: Object.fromEntries(keys.map(({ id, name }) => [id, name])),
    projects: Object.fromEntries(projects.map(({ id, name }) => [id, name])),
  };
}

async function findReceipt(call: ConsoleCall): Promise<FoundRequest> {
  const { deps, actor, params } = call;
  const { accounts, configuration } = deps;
  const id = params.request ?? "";
  const record = await firstIn(call, (account_id) => accounts.findRequest(account_id, id));
  if (record === null) return await findRefused(call, id);
  const [key, charge] = await Promise.all([labelOf(call, record.key_id), accounts.findCharge(record.id)]);
  return showReceiptDetail(record, key, charge, { currency: configuration.currency, reader: readerOf(actor) });
}

async function findRefused(call: ConsoleCall, id: string): Promise<FoundRequest> {
  const { deps, actor } = call;
  const refused = await firstIn(call, (account_id) => deps.accounts.findRefused(account_id, id));
  if (refused !== null) return { ...showRefused(refused), key: await labelOf(call, refused.key_id) };
  const gone = await deps.accounts.findCharge(id);
  if (gone === null || !sees(actor, gone.account_id)) throw unknownRequest(id);
  throw new GatewayError("not_found", receiptGone(JSON.stringify(id.slice(0, 200)), gone.created_ms));
}

/** A refused request is found once it was written, a few seconds after its answer. */
function unknownRequest(id: string): GatewayError {
  const { message } = notFound("request", id);
  return new GatewayError("not_found", `${message} A refused one is found a few seconds after its answer.`);
}

async function labelOf({ deps }: ConsoleCall, key_id: string): Promise<FoundRequest["key"]> {
  const [key] = await deps.accounts.labelKeys([key_id]);
  if (!key) throw new Error(`the key ${key_id} is missing`);
  return { id: key.id, name: key.name, hint: key.hint, deleted: key.deleted };
}

/** What is found in one of the accounts whose requests the actor may see: a client's id may stand for another in each of them. */
async function firstIn<Found>(
  { actor }: ConsoleCall,
  find: (account_id: string | null) => Promise<Found | null>,
): Promise<Found | null> {
  const own = accountsOf(actor);
  if (own === null) return await find(null);
  for (const account_id of own) {
    if (!mayIn(actor, account_id, "requests:read")) continue;
    const found = await find(account_id);
    if (found) return found;
  }
  return null;
}

const COLUMNS = [
  ...["id", "client_request_id", "created_at", "ended_at", "account", "account_email", "key", "key_name", "endpoint"],
  ...["stream", "requested_model", "model", "vendor", "upstream_model", "attempts", "outcome", "error", "input_tokens"],
  ...["cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "charge", "charge_micro"],
  ...["operator_loss_micro", "currency", "queue_ms", "first_byte_ms", "duration_ms", "vendor_said"],
  ...["project", "project_name", "tags"],
];

function rowOf(receipt: Receipt, { accounts, keys, projects }: ReceiptList["names"]): Cell[] {
  const { usage, attempts, charge_micro, project_id } = receipt;
  const last = attempts.at(-1);
  return [
    ...[receipt.id, receipt.client_request_id, receipt.created_at, receipt.ended_at],
    ...[receipt.account, accounts[receipt.account] ?? "", receipt.key_id, keys[receipt.key_id] ?? ""],
    ...[receipt.endpoint, receipt.stream ? 1 : 0, receipt.requested_model, receipt.model],
    ...[last?.vendor ?? "", last?.upstream_model ?? "", attempts.length, receipt.outcome, receipt.error],
    ...[usage?.input_tokens ?? null, usage?.cache_read_tokens ?? null, usage?.cache_write_tokens ?? null],
    ...[usage?.output_tokens ?? null, usage?.reasoning_tokens ?? null],
    ...[formatAmount(micro(charge_micro)), charge_micro, receipt.operator_loss_micro, receipt.currency],
    ...[receipt.queue_ms, receipt.first_byte_ms, receipt.duration_ms],
    attempts.findLast(({ said }) => said !== null)?.said ?? null,
    ...(project_id === null ? [null, null] : [project_id, projects[project_id] ?? ""]),
    tagTexts(receipt.tags).join("; "),
  ];
}

const REFUSALS_SHOWN = 50;
const FILE_REFUSALS = 5000;
const MS_PER_MINUTE = 60_000;

async function listRefusals(call: ConsoleCall<unknown, RefusalsQuery>): Promise<ConsoleAnswer> {
  const { account, key, code, q, limit, format = "json" } = call.query;
  const span = readSpan(call.query);
  const { accounts } = call.deps;
  const usual = format === "csv" ? FILE_REFUSALS : REFUSALS_SHOWN;
  const { sums, next_to_ms } = await accounts.listRefusals({
    account_id: await requireAccounts(call, account),
    ...given({ key_id: key, code, search: q, ...span }),
    limit: limit === undefined ? usual : Number(limit),
  });
  const data = await showRefusals(sums, accounts);
  if (format === "csv") return downloadRefusals(data);
  const next_to = next_to_ms === null ? null : showTime(next_to_ms);
  return { status: 200, body: { object: "list", data, next_to } satisfies RefusalList };
}

async function showRefusals(
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

function downloadRefusals(data: RefusalList["data"]): ConsoleAnswer {
  const head = ["minute", "account", "account_email", "key", "key_name", "endpoint", "status", "code", "count"];
  const last = ["last_request", "last_client_request", "last_model", "last_param", "last_at"];
  const rows = data.map((sum) => [
    ...[sum.minute, sum.account, sum.account_email, sum.key_id, sum.key_name, sum.endpoint],
    ...[sum.status, sum.code, sum.count],
    ...[sum.last.request_id, sum.last.client_request_id, sum.last.model, sum.last.param, sum.last.at],
  ]);
  return csvAnswer("refused-requests", [[...head, ...last], ...rows]);
}
