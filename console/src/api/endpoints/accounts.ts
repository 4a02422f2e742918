import type { AccountSums, AccountUses, AccountUsesQuery } from "../../../../contract/account-sums.ts";
import type {
  Account,
  AccountList,
  AccountsQuery,
  CreateAccount,
  UpdateAccount,
} from "../../../../contract/accounts.ts";
import type { AccountBudget } from "../../../../contract/budgets.ts";
import type { Deleted } from "../../../../contract/common.ts";
import type { AddCredit, CreditAdded, EntriesQuery, EntryList } from "../../../../contract/credits.ts";
import type { AddMember, Member, MemberList, MembersQuery, UpdateMember } from "../../../../contract/members.ts";
import type { Names, NamesQuery } from "../../../../contract/names.ts";

export interface AccountEndpoints {
  "GET /accounts/{account}/members": { query: MembersQuery; answer: MemberList };
  "POST /accounts/{account}/members": { body: AddMember; answer: Member };
  "PATCH /accounts/{account}/members/{user}": { body: UpdateMember; answer: Member };
  "DELETE /accounts/{account}/members/{user}": { answer: Deleted };
  "GET /accounts": { query: AccountsQuery; answer: AccountList };
  "GET /accounts/sums": { answer: AccountSums };
  "GET /accounts/uses": { query: AccountUsesQuery; answer: AccountUses };
  "GET /names": { query: NamesQuery; answer: Names };
  "POST /accounts": { body: CreateAccount; answer: Account };
  "GET /accounts/{account}": { answer: Account };
  "PATCH /accounts/{account}": { body: UpdateAccount; answer: Account };
  "GET /accounts/{account}/budget": { answer: AccountBudget };
  "POST /accounts/{account}/disable": { answer: Account };
  "POST /accounts/{account}/enable": { answer: Account };
  "GET /accounts/{account}/credits": { query: EntriesQuery; answer: EntryList };
  "POST /accounts/{account}/credits": { body: AddCredit; answer: CreditAdded };
}
