import { type Receipt, type ReceiptList, RequestsQuery } from "../../contract/requests.ts";
import { confinedTo } from "./actor.ts";
import { readPage, showPage } from "./page.ts";
import { type Call, route } from "./route.ts";
import { notFound, reachAccounts } from "./scope.ts";
import { showReceipt } from "./show-receipt.ts";

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

async function listRequests(call: Call<unknown, RequestsQuery>): Promise<ReceiptList> {
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
  return { ...showPage(records, page, (record) => showReceipt(record, currency)), currency };
}

async function findReceipt({ deps, actor, params }: Call<unknown, unknown>): Promise<Receipt> {
  const id = params.request ?? "";
  const record = await deps.accounts.findRequest(confinedTo(actor), id);
  if (!record) throw notFound("request", id);
  return showReceipt(record, deps.configuration.currency);
}
