import { AddCredit, type CreditAdded, EntriesQuery, type Entry, type EntryList } from "../../../contract/credits.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { invalidRequest } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import { type Micro, ZERO } from "../../core/money/money.ts";
import { nameOf } from "../answer/actor.ts";
import { idempotencyKey } from "../answer/made-once.ts";
import { type Page, readPage, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { csvFile } from "../show/csv-file.ts";
import { ENTRY_COLUMNS, entryRow } from "../show/file-rows.ts";
import { showAccount, showEntry } from "../show/show.ts";

export const creditRoutes = [
  route("POST /accounts/{account}/credits", "administrator", { audit: "credit.add", body: AddCredit, make: addCredit }),
  route("GET /accounts/{account}/credits", "member", { query: EntriesQuery, handle: listEntries }),
];

async function addCredit(call: ConsoleCall<AddCredit, unknown>): Promise<CreditAdded> {
  const { accounts, configuration, mail } = call.deps;
  const kind = call.body.kind ?? "credit";
  const amount_micro = readAmount(call.body.amount, "amount");
  requireSign(kind, amount_micro);
  const account = await requireAccount(call);
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
  throw invalidRequest(`'amount' of a ${kind} is too small; allowed: ${allowed}.`, "amount");
}

async function listEntries(call: ConsoleCall<unknown, EntriesQuery>): Promise<ConsoleAnswer> {
  const { accounts, configuration } = call.deps;
  const { currency } = configuration;
  const { kind, format } = call.query;
  const { id } = await requireAccount(call);
  const read = async (page: Page): Promise<EntryList> => {
    const entries = await accounts.listEntries(id, page.limit + 1, given({ kind, before_id: page.before_id }));
    return { ...showPage(entries, page, showEntry), currency };
  };
  if (format !== "csv") return { status: 200, body: await read(readPage(call.query)) };
  const rowsOf = (entries: readonly Entry[]) => entries.map((entry) => entryRow(entry, currency));
  return csvFile("ledger", { columns: ENTRY_COLUMNS, read, rowsOf });
}
