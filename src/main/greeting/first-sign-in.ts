import { hashToken, linkAddress, newToken } from "../../access/console/tokens.ts";
import type { SubKeys } from "../../access/sub-keys.ts";
import type { ServeOptions } from "../../cli/shared/deps.ts";
import type { Environment } from "../../core/environment.ts";
import { newId } from "../../core/ids.ts";
import type { Store } from "../../core/store/ports.ts";
import { LINK_LIVES_MS } from "../../people/links/link-lives.ts";

/** A link's address; `hidden`: one is needed and may not be shown here; null: none is needed. */
type FirstSignIn = string | "hidden" | null;

/**
 * The address of a one-time sign-in for the first administrator, made at every start until an administrator has another
 * way to sign in; null from then on. `account`: the e-mail of the account that the administrator will belong to, which
 * has data to look at. `may_show`: whether only the person who started the gateway sees what it prints.
 */
export async function firstSignIn(
  { users, accounts }: Pick<Store, "users" | "accounts">,
  keys: SubKeys,
  { origin, account, may_show }: { origin: string; account: string | null; may_show: boolean },
): Promise<FirstSignIn> {
  if (await users.administratorCanSignIn()) return null;
  if (!may_show) return "hidden";
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
    ttl_ms: LINK_LIVES_MS["first-administrator"],
  } as const;
  const actor = { kind: "gateway", id: null, name: "gateway" } as const;
  await users.createLink(link, { actor, action: "link.create", address: null });
  return linkAddress(origin, token);
}

/**
 * Whether the first administrator's link may be printed: whoever reads it is an administrator. On a terminal it may. What a
 * service manager starts writes to a journal that others read and that is kept. Elsewhere it may be printed for a program
 * that asked for JSON, and in the first run with nothing configured, at an address that only this machine reaches.
 */
export function mayShowLink(start: {
  readonly options: Pick<ServeOptions, "json">;
  readonly env: Environment;
  readonly host: string;
  readonly is_first_run: boolean;
}): boolean {
  const { options, env, host, is_first_run } = start;
  if (!options.json && process.stderr.isTTY) return true;
  // systemd sets these for what it starts.
  if (env.INVOCATION_ID !== undefined || env.JOURNAL_STREAM !== undefined) return false;
  return options.json === true || (is_first_run && isLoopback(host));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
