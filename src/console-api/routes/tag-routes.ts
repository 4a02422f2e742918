import { type TagNames, TagNamesQuery } from "../../../contract/tags.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireAccounts } from "../answer/scope.ts";

/** The names of the tags of keys and of requests, for those who choose one to group usage by. */
export const tagRoutes = [route("GET /tags", "member", { query: TagNamesQuery, show: listTagNames })];

const MOST_NAMES = 500;

async function listTagNames(call: ConsoleCall<unknown, TagNamesQuery>): Promise<TagNames> {
  const account_id = await requireAccounts(call, call.query.account);
  return { object: "list", data: [...(await call.deps.accounts.listTagNames(account_id, MOST_NAMES))] };
}
