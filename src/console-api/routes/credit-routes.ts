import { AddCredit, type CreditAdded, EntriesQuery, type EntryList } from "../../../contract/credits.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Micro, ZERO } from "../../core/money/money.ts";
import { nameOf } from "../answer/actor.ts";
import { idempotencyKey } from "../answer/made-once.ts";
import { pageAfter, readPage, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { csvFile } from "../show/csv-file.ts";
import { ENTRY_COLUMNS, entryRow } from "../show/record-files.ts";
import { showAccount, showEntry } from "../show/show.ts";

export const creditRoutes = [
  route("POST /accounts/{account}/credits", "administrator", { audit: "credit.add", body: AddCredit, make: addCredit }),
  route("GET /accounts/{account}/credits", "member", {
    query: EntriesQuery,
    handle: async (call) =>
      call.query.format === "csv" ? await entryFile(call) : { status: 200, body: await listEntries(call) },
  }),
];

async function addCredit(call: ConsoleCall<AddCredit, unknown>): Promise<CreditAdded> {
  const { accounts, configuration, mail } = call.deps;
  const kind = call.body.kind ?? "credit";
  const amount_micro = readAmount(call.body.amount, "amount");
  requireSign(kind, amount_micro);
  const account = await requireAccount(call, call.params.account ?? "");
  const receipt = kind === "credit" ? await mail?.receipt(account) : undefined;
  const entry = await accounts.addEntry({
    account_id: account.id,
    kind,
    amount_micro,
    note: call.body.note ?? "",
    actor: nameOf(call.actor),
    corrects: call.body.corrects ?? null,
    booking_id: idempotencyKey(call),
    ...(receipt && { receipt }),
  });
  if (receipt !== undefined) mail?.wake();
  const after = await accounts.findAccount(account.id);
  if (!after) throw notFound("account", account.id);
  return { entry: showEntry(entry), account: showAccount(after, configuration.currency) };
}

function requireSign(kind: "credit" | "correction", amount: Micro): void {
  if (amount > ZERO || (kind === "correction" && amount < ZERO)) return;
  const allowed = kind === "credit" ? "an amount above 0" : "an amount other than 0";
  throw new GatewayError("invalid_request", `'amount' of a ${kind} is too small; allowed: ${allowed}.`, {
    param: "amount",
  });
}

async function entryFile(call: ConsoleCall<unknown, EntriesQuery>): Promise<ConsoleAnswer> {
  const { accounts, configuration } = call.deps;
  const { kind } = call.query;
  const account = await requireAccount(call, call.params.account ?? "");
  return csvFile("ledger", ENTRY_COLUMNS, async (before) => {
    const page = pageAfter(before);
    const entries = await accounts.listEntries(account.id, page.limit + 1, {
      ...(kind === undefined ? {} : { kind }),
      ...(before === undefined ? {} : { before_id: before }),
    });
    const found = showPage(entries, page, showEntry);
    return { rows: found.data.map((entry) => entryRow(entry, configuration.currency)), next_before: found.next_before };
  });
}

async function listEntries(call: ConsoleCall<unknown, EntriesQuery>): Promise<EntryList> {
  const { accounts, configuration } = call.deps;
  const { kind } = call.query;
  const page = readPage(call.query);
  const account = await requireAccount(call, call.params.account ?? "");
  const entries = await accounts.listEntries(account.id, page.limit + 1, {
    ...(kind === undefined ? {} : { kind }),
    ...(page.before_id === undefined ? {} : { before_id: page.before_id }),
  });
  return { ...showPage(entries, page, showEntry), currency: configuration.currency };
}
