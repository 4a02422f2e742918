import { CreateAccount } from "../../../contract/accounts.ts";
import { newId } from "../../core/ids.ts";
import { add, ZERO } from "../../core/money.ts";
import type { AccountRecord } from "../../core/ports.ts";
import type { AccountStatus } from "../../core/principal.ts";
import { nameOf } from "../answer/actor.ts";
import { readAmount } from "../read/read-amount.ts";
import { type Call, type ConsoleAnswer, route } from "../answer/route.ts";
import { notFound, reachAccount } from "../answer/scope.ts";
import { showAccount } from "../show/show.ts";

export const accountRoutes = [
  route({
    method: "POST",
    path: "/accounts",
    role: "administrator",
    audit: "account.create",
    body: CreateAccount,
    handle: async (call) => ({ status: 201, body: show(call, await createAccount(call)) }),
  }),
  route({
    method: "GET",
    path: "/accounts",
    role: "administrator",
    handle: async (call) => {
      const accounts = await call.deps.accounts.listAccounts();
      return { status: 200, body: { object: "list", data: accounts.map((account) => show(call, account)) } };
    },
  }),
  route({
    method: "GET",
    path: "/accounts/{account}",
    role: "member",
    handle: async (call) => ({ status: 200, body: show(call, await reachAccount(call, call.params.account ?? "")) }),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/disable",
    role: "administrator",
    audit: "account.disable",
    handle: (call) => setStatus(call, "disabled"),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/enable",
    role: "administrator",
    audit: "account.enable",
    handle: (call) => setStatus(call, "active"),
  }),
];

async function createAccount({ deps, actor, body, note }: Call<CreateAccount, unknown>): Promise<AccountRecord> {
  const credit = body.credit === undefined ? ZERO : readAmount(body.credit, "credit");
  const account = await deps.accounts.createAccount({
    id: newId("acct"),
    email: body.email,
    name: body.name ?? "",
  });
  if (credit === ZERO) return account;
  await deps.audited({ ...note, action: "credit.add" }).addEntry({
    account_id: account.id,
    kind: "credit",
    amount_micro: credit,
    note: "opening credit",
    actor: nameOf(actor),
  });
  return { ...account, balance_micro: add(account.balance_micro, credit) };
}

async function setStatus(call: Call<unknown, unknown>, status: AccountStatus): Promise<ConsoleAnswer> {
  const { id } = await reachAccount(call, call.params.account ?? "");
  const account = await call.deps.accounts.setAccountStatus(id, status);
  if (!account) throw notFound("account", id);
  if (call.deps.keyChanged) for (const key of await call.deps.accounts.listKeys(id)) call.deps.keyChanged(key.id);
  return { status: 200, body: show(call, account) };
}

function show({ deps }: Call<unknown, unknown>, account: AccountRecord) {
  return showAccount(account, deps.configuration.currency);
}
