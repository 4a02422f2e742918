import { RebuildUsage, type RebuiltUsage } from "../../../contract/books.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccount } from "../answer/scope.ts";

/** How long one call rebuilds: clients give up after 30 s. */
const REBUILD_FOR_MS = 10_000;

export const booksRoutes = [
  route("POST /books/rebuild-usage", "administrator", {
    audit: {
      action: "books.rebuild-usage",
      describe: ({ body }, { body: answer }) => {
        const { accounts, changed } = answer as RebuiltUsage;
        const after = { accounts, changed: changed.length, first: changed.slice(0, 20) };
        return { object: { kind: "books", id: body.account ?? null }, after };
      },
    },
    body: RebuildUsage,
    show: rebuild,
  }),
];

async function rebuild(call: ConsoleCall<RebuildUsage, unknown>): Promise<RebuiltUsage> {
  const { account, after = null } = call.body;
  const account_id = account === undefined ? null : (await requireAccount(call, account)).id;
  const part = await call.deps.administration.store.rebuildUsage({ account_id, after, for_ms: REBUILD_FOR_MS });
  return {
    accounts: part.accounts,
    changed: part.changed.map(({ account_id: of, key_id: key, ...rest }) => ({ account: of, key, ...rest })),
    next: part.next,
  };
}
