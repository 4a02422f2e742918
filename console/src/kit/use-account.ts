import { useUser } from "../api/session.ts";
import { ALL_ACCOUNTS } from "./all-accounts.ts";
import { useUrlState } from "./url-state.ts";

/**
 * The account that member pages show: the user's own, or for an administrator the account of `?account=`, which every
 * link keeps. Pass it to every call that takes an account.
 */
export function useAccount(): string {
  const user = useUser();
  const [{ account }] = useUrlState("account");
  const chosen = account === ALL_ACCOUNTS ? undefined : account;
  return user.role === "administrator" ? (chosen ?? user.account_id) : user.account_id;
}
