import { invalidRequest } from "../../core/errors.ts";
import { confinedTo } from "./actor.ts";
import type { ConsoleCall } from "./route.ts";
import { requireAccount, requireScope } from "./scope.ts";

/** The id of the account that a view shows: the named account, else the user's own. Throws 400 and 404. */
export async function viewedAccount(call: ConsoleCall, named: string | undefined): Promise<string> {
  if (named !== undefined) return (await requireAccount(call, named)).id;
  // An administrator has an account too.
  if (call.actor.kind === "user") {
    requireScope(call, call.actor.account_id);
    return call.actor.account_id;
  }
  const own = confinedTo(call.actor);
  if (own !== null) {
    requireScope(call, own);
    return own;
  }
  throw invalidRequest("'account' is missing; allowed: an account id or e-mail address.", "account");
}
