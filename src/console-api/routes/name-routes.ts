import { type Names, NamesQuery } from "../../../contract/names.ts";
import { type ConsoleCall, route } from "../answer/route.ts";

/** The names of accounts and users by their ids: a page has the ids, and not all records. */
export const nameRoutes = [route("GET /names", "administrator", { query: NamesQuery, show: findNames })];

async function findNames({ deps, query }: ConsoleCall<unknown, NamesQuery>): Promise<Names> {
  const ids = query.ids.split(",");
  const [accounts, users] = await Promise.all([deps.accounts.labelAccounts(ids), deps.users.labelUsers(ids)]);
  return { object: "names", names: Object.fromEntries([...accounts, ...users].map(({ id, email }) => [id, email])) };
}
