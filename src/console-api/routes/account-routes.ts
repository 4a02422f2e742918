import { type AccountList, AccountsQuery, CreateAccount, UpdateAccount } from "../../../contract/accounts.ts";
import type { AccountBudget } from "../../../contract/budgets.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { newId } from "../../core/ids.ts";
import { ZERO } from "../../core/money/money.ts";
import { type AccountStatus, NO_LIMITS } from "../../core/people/principal.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { nameOf } from "../answer/actor.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import { isPaged, pageAfter, readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount } from "../answer/scope.ts";
import { readAmount } from "../read/read-amount.ts";
import { readBudget } from "../read/read-key-fields.ts";
import { readModelLimits } from "../read/read-model-limits.ts";
import { readTagLimits } from "../read/read-tag-limits.ts";
import { readTimeZone } from "../read/read-zone.ts";
import { ACCOUNT_COLUMNS, accountRow } from "../show/account-files.ts";
import { csvFile } from "../show/csv-file.ts";
import { showAccount } from "../show/show.ts";
import { showUse } from "./budget-routes.ts";

export const accountRoutes = [
  route("POST /accounts", "administrator", {
    audit: "account.create",
    body: CreateAccount,
    make: async (call) => show(call, await createAccount(call)),
  }),
  route("GET /accounts", "administrator", {
    query: AccountsQuery,
    handle: async (call) =>
      call.query.format === "csv" ? await accountFile(call) : { status: 200, body: await listAccounts(call) },
  }),
  route("GET /accounts/{account}", "member", {
    show: async (call) => show(call, await requireAccount(call, call.params.account ?? "")),
  }),
  route("PATCH /accounts/{account}", "administrator", {
    audit: "account.update",
    body: UpdateAccount,
    handle: updateAccount,
  }),
  route("GET /accounts/{account}/budget", "member", { show: showBudget }),
  route("POST /accounts/{account}/disable", "administrator", {
    audit: "account.disable",
    handle: (call) => setStatus(call, "disabled"),
  }),
  route("POST /accounts/{account}/enable", "administrator", {
    audit: "account.enable",
    handle: (call) => setStatus(call, "active"),
  }),
];

async function listAccounts(call: ConsoleCall<unknown, AccountsQuery>): Promise<AccountList> {
  const { accounts } = call.deps;
  if (!isPaged(call.query))
    return { object: "list", data: (await accounts.listAccounts()).map((account) => show(call, account)) };
  const page = readPage(call.query);
  return showPage(await accounts.searchAccounts(searchOf(call.query, page)), page, (account) => show(call, account));
}

function accountFile(call: ConsoleCall<unknown, AccountsQuery>): Promise<ConsoleAnswer> {
  const { accounts } = call.deps;
  return csvFile("accounts", ACCOUNT_COLUMNS, async (before) => {
    const page = pageAfter(before);
    const found = showPage(await accounts.searchAccounts(searchOf(call.query, page)), page, (each) => show(call, each));
    const uses = await accounts.accountUses(found.data.map(({ id }) => id));
    const use_of = new Map(uses.map((use) => [use.account_id, use]));
    return { rows: found.data.map((each) => accountRow(each, use_of.get(each.id))), next_before: found.next_before };
  });
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
async function updateAccount(call: ConsoleCall<UpdateAccount>): Promise<ConsoleAnswer> {
  const before = await requireAccount(call, call.params.account ?? "");
  const { name, email, time_zone, ...limits } = call.body;
  const zone = time_zone == null ? null : readTimeZone(time_zone, "time_zone").name;
  let account: AccountRecord | null = before;
  if (name !== undefined || email !== undefined)
    account = await call.deps.accounts.renameAccount(before.id, {
      ...(name !== undefined && { name }),
      ...(email !== undefined && { email }),
    });
  if (time_zone !== undefined) account = await setTimeZone(call, before.id, zone);
  if (Object.keys(limits).length > 0) account = await updateLimits(call, before);
  if (!account) throw notFound("account", before.id);
  return { status: 200, body: show(call, account) };
}

async function setTimeZone(
  call: ConsoleCall<UpdateAccount>,
  id: string,
  zone: string | null,
): Promise<AccountRecord | null> {
  const account = await call.deps.accounts.setTimeZone(id, zone === "UTC" ? null : zone);
  await forgetKeys(call, id);
  return account;
}

async function updateLimits(
  call: ConsoleCall<UpdateAccount>,
  { id, limits = NO_LIMITS }: AccountRecord,
): Promise<AccountRecord | null> {
  const { budget, model_limits, tag_limits, name: _name, email: _email, time_zone: _zone, ...given } = call.body;
  const account = await call.deps.accounts.setAccountLimits(id, {
    ...limits,
    ...given,
    ...(budget !== undefined && { budget: budget && readBudget(budget) }),
    ...(model_limits !== undefined && { model_limits: readModelLimits(model_limits) }),
    ...(tag_limits !== undefined && { tag_limits: readTagLimits(tag_limits) }),
  });
  await forgetKeys(call, id);
  return account;
}

/** The account's use of its own budget, for its members too. */
async function showBudget(call: ConsoleCall): Promise<AccountBudget> {
  const { id } = await requireAccount(call, call.params.account ?? "");
  const use = await call.deps.accounts.accountBudgetUse(id);
  return {
    object: "account_budget",
    account: id,
    currency: call.deps.configuration.currency,
    use: use && showUse(use),
  };
}

async function forgetKeys({ deps }: ConsoleCall, account_id: string): Promise<void> {
  if (deps.keyChanged) for (const key of await deps.accounts.listKeys(account_id)) deps.keyChanged(key.id);
}

async function setStatus(call: ConsoleCall, status: AccountStatus): Promise<ConsoleAnswer> {
  const { id } = await requireAccount(call, call.params.account ?? "");
  const account = await call.deps.accounts.setAccountStatus(id, status);
  if (!account) throw notFound("account", id);
  await forgetKeys(call, id);
  return { status: 200, body: show(call, account) };
}

function show({ deps }: ConsoleCall, account: AccountRecord) {
  return showAccount(account, deps.configuration.currency);
}
