import { type Receipt, type ReceiptDetail, type ReceiptList, RequestsQuery } from "../../../contract/requests.ts";
import { splitTag } from "../../../contract/tag-rules.ts";
import { GatewayError } from "../../core/errors.ts";
import type { RequestRecord } from "../../core/ledger.ts";
import type { AccountStore } from "../../core/ports.ts";
import { receiptGone } from "../../ledger/receipt.ts";
import { accountsOf, mayIn, readerOf, sees } from "../answer/actor.ts";
import { projectAsked, readPage } from "../answer/page.ts";
import { type ConsoleAnswer, type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccounts } from "../answer/scope.ts";
import { readTime, requireOrder } from "../read/read-time.ts";
import { receiptsCsv } from "../show/receipts-csv.ts";
import { showTime } from "../show/show.ts";
import { showReceipt, showReceiptDetail } from "../show/show-receipt.ts";
import { refusalRoutes } from "./refusal-routes.ts";

export const requestRoutes = [
  route({
    method: "GET",
    path: "/requests",
    role: "member",
    query: RequestsQuery,
    handle: (call) => (call.query.format === "csv" ? download(call) : list(call)),
  }),
  ...refusalRoutes,
  route({
    method: "GET",
    path: "/requests/{request}",
    role: "member",
    handle: async (call) => ({ status: 200, body: await findReceipt(call) }),
  }),
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
  return {
    status: 200,
    body: receiptsCsv(receipts, names),
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="requests.csv"',
    },
  };
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
