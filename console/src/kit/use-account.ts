import { type AccountRole, roleMay, type Scope } from "../../../contract/permissions.ts";
import { useUser } from "../api/session.ts";
import { ALL_ACCOUNTS } from "./all-accounts.ts";
import { useUrlState } from "./url-state.ts";

/**
 * The account that member pages show: the one of `?account=`, which every link keeps, where the user belongs to it or is an
 * administrator; else the user's first. Pass it to every call that takes an account.
 */
export function useAccount(): string {
  const user = useUser();
  const [{ account }] = useUrlState("account");
  if (account === undefined || account === ALL_ACCOUNTS) return user.account_id;
  const is_open = user.role === "administrator" || user.accounts.some(({ id }) => id === account);
  return is_open ? account : user.account_id;
}

/** The user's role in the account that the page shows; null for an administrator who does not belong to it. */
export function useAccountRole(): AccountRole | null {
  const account = useAccount();
  return useUser().accounts.find(({ id }) => id === account)?.role ?? null;
}

/** The project that the user's new keys in the shown account go into where nothing else is chosen; null for none. */
export function useOwnProject(): { readonly id: string; readonly name: string } | null {
  const account = useAccount();
  return useUser().accounts.find(({ id }) => id === account)?.project ?? null;
}

/** Whether the user may do something in the account that the page shows. The gateway decides the same, for every call. */
export function useMay(): (scope: Scope) => boolean {
  const { role } = useUser();
  const own = useAccountRole();
  return (scope) => role === "administrator" || (own !== null && roleMay(own, scope));
}
