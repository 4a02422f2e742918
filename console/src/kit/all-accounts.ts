import { useUser } from "../api/session.ts";
import { useUrlState } from "./url-state.ts";

/** What `?account=` has when an administrator looks at all accounts. */
export const ALL_ACCOUNTS = "all";

/** Whether the overview, usage and requests show all accounts. Pages about one account show the user's own then. */
export function useAllAccounts(): boolean {
  const user = useUser();
  const [{ account }] = useUrlState("account");
  return user.role === "administrator" && account === ALL_ACCOUNTS;
}
