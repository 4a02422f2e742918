import { hashToken, newToken } from "../access/console/tokens.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { LINK_TTL_MS, linkAddress } from "../console-api/sign-in/sign-in-links.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/ports.ts";

/**
 * The address of a one-time sign-in for the first administrator, made at every start until an administrator has another
 * way to sign in; null from then on. `account`: the e-mail of the account that the administrator will belong to, which
 * has data to look at.
 */
export async function firstSignIn(
  { users, accounts }: Pick<Store, "users" | "accounts">,
  keys: SubKeys,
  { origin, account }: { readonly origin: string; readonly account: string | null },
): Promise<string | null> {
  if (await users.administratorCanSignIn()) return null;
  const owner = account === null ? null : await accounts.findAccount(account);
  const token = newToken();
  const link = {
    id: newId("link"),
    token_hash: hashToken(keys, "link", token),
    purpose: "first-administrator",
    email: null,
    role: "administrator",
    user_id: null,
    account_id: owner?.id ?? null,
    made_by: "gateway",
    ttl_ms: LINK_TTL_MS["first-administrator"],
  } as const;
  const actor = { kind: "gateway", id: null, name: "gateway" } as const;
  await users.createLink(link, { actor, action: "link.create", address: null });
  return linkAddress(origin, token);
}
