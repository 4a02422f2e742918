import type { Cell } from "../../../contract/csv.ts";
import { type Receipt, type ReceiptDetail, type ReceiptList, RequestsQuery } from "../../../contract/requests.ts";
import { splitTag, tagTexts } from "../../../contract/tag-rules.ts";
import { GatewayError } from "../../core/errors.ts";
import type { RequestRecord } from "../../core/ledger/ledger.ts";
import { formatAmount, micro } from "../../core/money/money.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { receiptGone } from "../../ledger/receipt.ts";
import { accountsOf, mayIn, readerOf, sees } from "../answer/actor.ts";
import { projectAsked, readPage } from "../answer/page.ts";
import { type ConsoleAnswer, type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccounts } from "../answer/scope.ts";
import { readTime, requireOrder } from "../read/read-time.ts";
import { csvAnswer } from "../show/csv-file.ts";
import { showTime } from "../show/show.ts";
import { showReceipt, showReceiptDetail } from "../show/show-receipt.ts";
import { refusalRoutes } from "./refusal-routes.ts";

export const requestRoutes = [
  route("GET /requests", "member", {
    query: RequestsQuery,
    handle: (call) => (call.query.format === "csv" ? download(call) : list(call)),
  }),
  ...refusalRoutes,
  route("GET /requests/{request}", "member", { show: findReceipt }),
];

async function list(call: ConsoleCall<unknown, RequestsQuery>): Promise<ConsoleAnswer> {
  return { status: 200, body: await listRequests(call) };
}

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
  const from_ms = readTime(call.query.from, "from");
  const to_ms = readTime(call.query.to, "to");
  requireOrder({ from: from_ms, to: to_ms });
  const { requests, next_before, searched_back_to_ms } = await call.deps.accounts.listRequests({
    account_id: await requireAccounts(call, account),
    ...(key === undefined ? {} : { key_id: key }),
    ...(project === undefined ? {} : { project_id: projectAsked(project) }),
    ...(asked_tag === null ? {} : { tag: asked_tag }),
    ...(model === undefined ? {} : { model }),
    ...(status === undefined ? {} : { status }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(q === undefined ? {} : { search: q }),
    ...(from_ms === undefined ? {} : { from_ms }),
    ...(to_ms === undefined ? {} : { to_ms }),
    ...readPage(call.query),
  });
  const names = await namesOf(call.deps.accounts, requests);
  return {
    object: "list",
    data: requests.map((record) => showReceipt(record, currency, readerOf(call.actor))),
    has_more: next_before !== null,
    next_before,
    currency,
    searched_back_to: searched_back_to_ms === null ? null : showTime(searched_back_to_ms),
    names,
  };
}

async function namesOf(
  store: Pick<AccountStore, "labelAccounts" | "labelKeys" | "labelProjects">,
  requests: readonly RequestRecord[],
): Promise<ReceiptList["names"]> {
  if (requests.length === 0) return { accounts: {}, keys: {}, projects: {} };
  const [accounts, keys, projects] = await Promise.all([
    store.labelAccounts(requests.map(({ account_id }) => account_id)),
    store.labelKeys(requests.map(({ key_id }) => key_id)),
    store.labelProjects(requests.flatMap(({ project_id }) => (project_id === null ? [] : [project_id]))),
  ]);
  return {
    accounts: Object.fromEntries(accounts.map(({ id, email }) => [id, email])),
    keys: Object.fromEntries(keys.map(({ id, name }) => [id, name])),
    projects: Object.fromEntries(projects.map(({ id, name }) => [id, name])),
  };
}

async function findReceipt(call: ConsoleCall<unknown, unknown>): Promise<ReceiptDetail> {
  const { deps, actor, params } = call;
  const { accounts, configuration } = deps;
  const id = params.request ?? "";
  const record = await findIn(call, id);
  if (!record) {
    const gone = await accounts.findCharge(id);
    if (gone === null || !sees(actor, gone.account_id)) throw notFound("request", id);
    throw new GatewayError("not_found", receiptGone(JSON.stringify(id.slice(0, 200)), gone.created_ms));
  }
  const [[key], charge] = await Promise.all([accounts.labelKeys([record.key_id]), accounts.findCharge(record.id)]);
  if (!key) throw new Error(`the key of ${record.id} is missing`);
  return showReceiptDetail(record, key, charge, { currency: configuration.currency, reader: readerOf(actor) });
}

/** The request in one of the accounts whose requests the actor may see: a client's id may stand for another in each of them. */
async function findIn({ deps, actor }: ConsoleCall<unknown, unknown>, id: string) {
  const own = accountsOf(actor);
  if (own === null) return await deps.accounts.findRequest(null, id);
  for (const account_id of own) {
    if (!mayIn(actor, account_id, "requests:read")) continue;
    const found = await deps.accounts.findRequest(account_id, id);
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
