import { useUser } from "../api/session.ts";
import { useUrlState } from "./url-state.ts";

/**
 * The account that member pages show: the user's own, or for an administrator the account of `?account=`, which every
 * link keeps. Pass it to every call that takes an account.
 */
export function useAccount(): string {
  const user = useUser();
  const [{ account }] = useUrlState("account");
  return user.role === "administrator" ? (account ?? user.account_id) : user.account_id;
}
