import { CacheQuery, type CacheState, type EmptiedCache, EmptyCache } from "../../../contract/cache.ts";
import { DEFAULT_CACHE } from "../../core/catalog/catalog.ts";
import { invalidRequest } from "../../core/errors.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";

/** Stored answers that are given again (docs/rulings.md 183): how much room they take, and removing them. */
export const cacheRoutes = [
  route("GET /cache", "member", { query: CacheQuery, show: showCache }),
  route("POST /cache/empty", "member", {
    audit: {
      action: "cache.empty",
      readBefore: async (call) => ({ bytes: await call.deps.cached.cachedBytes(await emptiedOf(call)) }),
      describe: ({ body }, answer) => ({
        object: { kind: "cache", id: body.account ?? null },
        after: { ...(answer.body as EmptiedCache) },
      }),
    },
    body: EmptyCache,
    show: async (call): Promise<EmptiedCache> => ({ removed: await call.deps.emptyCache(await emptiedOf(call)) }),
  }),
];

async function showCache(call: ConsoleCall<unknown, CacheQuery>): Promise<CacheState> {
  const account = await requireAccounts(call, call.query.account);
  const { keep_bytes, longest_ms, charge_percent } = call.deps.configuration.cache ?? DEFAULT_CACHE;
  return {
    object: "cache",
    account,
    bytes: await call.deps.cached.cachedBytes(account),
    most_bytes: keep_bytes,
    longest_s: longest_ms / 1000,
    charge_percent,
  };
}

/** Whose answers are removed; null: those of all accounts, which must be said. */
async function emptiedOf(call: ConsoleCall<EmptyCache, unknown>): Promise<string | null> {
  const { account, all = false } = call.body;
  if (all && account !== undefined) throw invalidRequest("Name either 'account' or 'all', not both.", "all");
  const account_id = await requireAccounts(call, account);
  if ((account_id === null) === all) return account_id;
  if (all) throw invalidRequest("Only the gateway's administrators remove all stored answers.", "all");
  throw invalidRequest("'account' is missing, or 'all': true.", "account");
}
