import type { Key } from "../../../contract/keys.ts";
import {
  type LimitedAccount,
  type LimitedAccountList,
  type LimitedKeyList,
  LimitedQuery,
  type LimitOverride,
  type Limits,
} from "../../../contract/limits.ts";
import type { ListQuery } from "../../core/people/list-query.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { type Page, readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { showKey, showLimitsOf } from "../show/show.ts";

export const limitRoutes = [
  route("GET /limits", "administrator", { show: showLimits }),
  route("GET /limits/keys", "administrator", { query: LimitedQuery, show: listLimitedKeys }),
  route("GET /limits/accounts", "administrator", { query: LimitedQuery, show: listLimitedAccounts }),
];

async function showLimits({ deps }: ConsoleCall): Promise<Limits> {
  const { accounts, administration, configuration } = deps;
  const counts = await accounts.countLimits();
  const { body_bytes, default_key } = configuration.limits;
  const { stall_ms, total_ms } = administration.gateway.body_timeouts;
  return {
    currency: configuration.currency,
    default_key: { rpm: default_key.rpm, concurrent: default_key.concurrent, tpm: null },
    body_bytes,
    body_stall_ms: stall_ms,
    body_total_ms: total_ms,
    key_count: counts.keys,
    limited_key_count: counts.limited_keys,
    account_count: counts.accounts,
    limited_account_count: counts.limited_accounts,
  };
}

async function listLimitedKeys({ deps, query }: ConsoleCall<unknown, LimitedQuery>): Promise<LimitedKeyList> {
  const { accounts, configuration } = deps;
  const page = readPage(query);
  const found = await accounts.searchKeys(null, { ...limitedOf(query, page), by_email: true });
  const labels = await accounts.labelAccounts(found.map(({ account_id }) => account_id));
  const emails = new Map(labels.map(({ id, email }) => [id, email]));
  return showPage(found, page, (key) => showOverride(showKey(key, configuration), emails.get(key.account_id) ?? ""));
}

async function listLimitedAccounts({ deps, query }: ConsoleCall<unknown, LimitedQuery>): Promise<LimitedAccountList> {
  const page = readPage(query);
  return showPage(await deps.accounts.searchAccounts(limitedOf(query, page)), page, showLimitedAccount);
}

/** The query for holders of limits; without a filter, all that have any limit of their own. */
function limitedOf(query: LimitedQuery, page: Page): ListQuery {
  return { own: "limits", ...searchOf(query, page) };
}

function showLimitedAccount({ id, email, name, status, limits }: AccountRecord): LimitedAccount {
  return { account: id, email, name, status, limits: showLimitsOf(limits) };
}

function showOverride(key: Key, account_email: string): LimitOverride {
  const { id, name, hint, status, account, rpm, tpm, concurrent, budget, models, expires_at } = key;
  return {
    key: id,
    key_name: name,
    ...{ hint, status, account, account_email, rpm, tpm, concurrent, budget, models, expires_at },
  };
}
