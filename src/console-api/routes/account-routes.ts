import { type AccountSums, type AccountUses, AccountUsesQuery } from "../../../contract/account-sums.ts";
import {
  type Account,
  type AccountList,
  AccountsQuery,
  CreateAccount,
  UpdateAccount,
} from "../../../contract/accounts.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { given } from "../../core/given.ts";
import { newId } from "../../core/ids.ts";
import { toJsonNumber, ZERO } from "../../core/money/money.ts";
import { type AccountStatus, NO_LIMITS } from "../../core/people/principal.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { nameOf } from "../answer/actor.ts";
import { forgetKeys } from "../answer/forget-keys.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import { isPaged, type Page, readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { readLimitFields } from "../read/read-limits.ts";
import { readTimeZone } from "../read/read-zone.ts";
import { csvFile } from "../show/csv-file.ts";
import { ACCOUNT_COLUMNS, accountRow } from "../show/file-rows.ts";
import { showAccount, showTime } from "../show/show.ts";

export const accountRoutes = [
  // Before the routes of single accounts, whose ids begin with `acct_`.
  route("GET /accounts/sums", "administrator", { show: sumAccounts }),
  route("GET /accounts/uses", "administrator", { query: AccountUsesQuery, show: showUses }),
  route("POST /accounts", "administrator", {
    audit: "account.create",
    body: CreateAccount,
    make: async (call) => show(call, await createAccount(call)),
  }),
  route("GET /accounts", "administrator", { query: AccountsQuery, handle: listAccounts }),
  route("GET /accounts/{account}", "member", { show: async (call) => show(call, await requireAccount(call)) }),
  route("PATCH /accounts/{account}", "administrator", {
    audit: "account.update",
    body: UpdateAccount,
    show: updateAccount,
  }),
  route("POST /accounts/{account}/disable", "administrator", {
    audit: "account.disable",
    show: (call) => setStatus(call, "disabled"),
  }),
  route("POST /accounts/{account}/enable", "administrator", {
    audit: "account.enable",
    show: (call) => setStatus(call, "active"),
  }),
];

async function listAccounts(call: ConsoleCall<unknown, AccountsQuery>): Promise<ConsoleAnswer> {
  const { accounts } = call.deps;
  const read = async (page: Page) =>
    showPage(await accounts.searchAccounts(searchOf(call.query, page)), page, (account) => show(call, account));
  const rowsOf = async (shown_accounts: readonly Account[]) => {
    const uses = await accounts.accountUses(shown_accounts.map(({ id }) => id));
    const use_of = new Map(uses.map((use) => [use.account_id, use]));
    return shown_accounts.map((each) => accountRow(each, use_of.get(each.id)));
  };
  if (call.query.format === "csv") return csvFile("accounts", { columns: ACCOUNT_COLUMNS, read, rowsOf });
  if (isPaged(call.query)) return { status: 200, body: await read(readPage(call.query)) };
  const data = (await accounts.listAccounts()).map((account) => show(call, account));
  return { status: 200, body: { object: "list", data } satisfies AccountList };
}

/** Makes an account and books its first credit; with an `Idempotency-Key`, each of them once. */
async function createAccount(call: ConsoleCall<CreateAccount>): Promise<AccountRecord> {
  const { deps, actor, body, note } = call;
  const draws = drawsOf(call);
  const id = newId("acct", draws.id);
  const credit = body.credit === undefined ? ZERO : readAmount(body.credit, "credit");
  const account = await madeOnce(draws, {
    make: () => deps.accounts.createAccount({ id, email: body.email, name: body.name ?? "" }),
    findEarlier: () => findSame(call, id),
  });
  if (credit === ZERO) return account;
  await deps.audited({ ...note, action: "credit.add" }).addEntry({
    account_id: account.id,
    kind: "credit",
    amount_micro: credit,
    note: "opening credit",
    actor: nameOf(actor),
    booking_id: draws.once ? `opening-${id}` : null,
  });
  return (await deps.accounts.findAccount(id)) ?? account;
}

/** The account that an earlier call with the same `Idempotency-Key` made for the same e-mail; null where none did. */
async function findSame({ deps, body }: ConsoleCall<CreateAccount>, id: string): Promise<AccountRecord | null> {
  const found = await deps.accounts.findAccount(id);
  return found?.email.toLowerCase() === body.email.trim().toLowerCase() ? found : null;
}

/** Renames the account, and sets limits over all of its keys. What the body lacks stays. */
async function updateAccount(call: ConsoleCall<UpdateAccount>): Promise<Account> {
  const { accounts } = call.deps;
  const before = await requireAccount(call);
  const { id, limits = NO_LIMITS } = before;
  const { name, email, time_zone, ...given_limits } = call.body;
  const zone = time_zone == null ? null : readTimeZone(time_zone, "time_zone").name;
  let account: AccountRecord | null = before;
  if (name !== undefined || email !== undefined) account = await accounts.renameAccount(id, given({ name, email }));
  if (time_zone !== undefined) account = await accounts.setTimeZone(id, zone === "UTC" ? null : zone);
  if (Object.keys(given_limits).length > 0)
    account = await accounts.setAccountLimits(id, { ...limits, ...readLimitFields(given_limits) });
  if (account !== null && account !== before) await forgetKeys(call, id);
  return shown(call, account);
}

async function setStatus(call: ConsoleCall, status: AccountStatus): Promise<Account> {
  const { id } = await requireAccount(call);
  const account = await call.deps.accounts.setAccountStatus(id, status);
  if (account !== null) await forgetKeys(call, id);
  return shown(call, account);
}

/** Throws a 404 for an account that has gone meanwhile. */
function shown(call: ConsoleCall, account: AccountRecord | null): Account {
  if (account === null) throw notFound("account", call.params.account ?? "");
  return show(call, account);
}

function show({ deps }: ConsoleCall, account: AccountRecord): Account {
  return showAccount(account, deps.configuration.currency);
}

async function sumAccounts({ deps }: ConsoleCall): Promise<AccountSums> {
  const { balance_micro, held_micro, month_micro, counted_ms, ...counts } = await deps.accounts.sumAccounts();
  return {
    object: "account_sums",
    ...counts,
    balance_micro: toJsonNumber(balance_micro),
    held_micro: toJsonNumber(held_micro),
    month_micro: toJsonNumber(month_micro),
    counted_until: counted_ms === null ? null : showTime(counted_ms),
    currency: deps.configuration.currency,
  };
}

async function showUses({ deps, query }: ConsoleCall<unknown, AccountUsesQuery>): Promise<AccountUses> {
  const uses = await deps.accounts.accountUses(query.accounts.split(","));
  return {
    object: "list",
    data: uses.map(({ account_id, month_micro, active_keys }) => ({
      account: account_id,
      month_micro: toJsonNumber(month_micro),
      active_keys,
    })),
  };
}
