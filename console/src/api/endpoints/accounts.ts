import type { Account, AccountList, CreateAccount, UpdateAccount } from "../../../../contract/accounts.ts";
import type { AccountBudget } from "../../../../contract/budgets.ts";
import type { AddCredit, CreditAdded, EntriesQuery, EntryList } from "../../../../contract/credits.ts";

export interface AccountEndpoints {
  "GET /accounts": { answer: AccountList };
  "POST /accounts": { body: CreateAccount; answer: Account };
  "GET /accounts/{account}": { answer: Account };
  "PATCH /accounts/{account}": { body: UpdateAccount; answer: Account };
  "GET /accounts/{account}/budget": { answer: AccountBudget };
  "POST /accounts/{account}/disable": { answer: Account };
  "POST /accounts/{account}/enable": { answer: Account };
  "GET /accounts/{account}/credits": { query: EntriesQuery; answer: EntryList };
  "POST /accounts/{account}/credits": { body: AddCredit; answer: CreditAdded };
}
