import { RequestsQuery } from "../../contract/requests.ts";
import type { RequestRecord } from "../core/ledger.ts";
import { receiptObject } from "../ledger/receipt.ts";
import { confinedTo } from "./actor.ts";
import { readPage, showPage } from "./page.ts";
import { type Call, route } from "./route.ts";
import { notFound, reachAccounts } from "./scope.ts";
import { showTime } from "./show.ts";

export const requestRoutes = [
  route({
    method: "GET",
    path: "/requests",
    role: "member",
    query: RequestsQuery,
    handle: async (call) => ({ status: 200, body: await listRequests(call) }),
  }),
  route({
    method: "GET",
    path: "/requests/{request}",
    role: "member",
    handle: async (call) => ({ status: 200, body: await findReceipt(call) }),
  }),
];

async function listRequests(call: Call<unknown, RequestsQuery>): Promise<object> {
  const { key, model, status } = call.query;
  const { currency } = call.deps.configuration;
  const page = readPage(call.query);
  const records = await call.deps.accounts.listRequests({
    account_id: await reachAccounts(call, call.query.account),
    ...(key === undefined ? {} : { key_id: key }),
    ...(model === undefined ? {} : { model }),
    ...(status === undefined ? {} : { status }),
    ...page,
    limit: page.limit + 1,
  });
  return { ...showPage(records, page, (record) => showReceipt(record, currency)), currency, searched_back_to: null };
}

async function findReceipt({ deps, actor, params }: Call<unknown, unknown>): Promise<object> {
  const id = params.request ?? "";
  const record = await deps.accounts.findRequest(confinedTo(actor), id);
  if (!record) throw notFound("request", id);
  return showReceipt(record, deps.configuration.currency);
}

/** The receipt that the account itself gets (docs/rulings.md 47), and whose it is. */
function showReceipt(record: RequestRecord, currency: string): object {
  return {
    ...receiptObject(record, currency),
    account: record.account_id,
    created_at: showTime(record.created_ms),
    ended_at: record.ended_ms === null ? null : showTime(record.ended_ms),
  };
}
