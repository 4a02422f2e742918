import { GatewayError } from "../../core/errors.ts";
import type { AccountRecord } from "../../core/ports.ts";
import type { KeyRecord } from "../../core/principal.ts";
import { type Actor, confinedTo } from "./actor.ts";
import type { ConsoleDeps } from "./route.ts";

/**
 * Access of actors to accounts and keys. A member who names another account's key gets the 404 of a key that does not
 * exist, so the answer reveals nothing.
 */

interface Asker {
  readonly deps: ConsoleDeps;
  readonly actor: Actor;
}

/** The account by id or e-mail. Throws 404. */
export async function requireAccount({ deps, actor }: Asker, id_or_email: string): Promise<AccountRecord> {
  const account = await deps.accounts.findAccount(id_or_email);
  const own = confinedTo(actor);
  if (!account || (own !== null && account.id !== own)) throw notFound("account", id_or_email);
  return account;
}

/** The key by id. Throws 404. */
export async function requireKey({ deps, actor }: Asker, key_id: string): Promise<KeyRecord> {
  const key = await deps.accounts.findKey(key_id);
  const own = confinedTo(actor);
  if (!key || (own !== null && key.account_id !== own)) throw notFound("key", key_id);
  return key;
}

/** The id of the account that a list covers: the named account, else the actor's own; null: all. Throws 404. */
export async function requireAccounts(asker: Asker, id_or_email: string | undefined): Promise<string | null> {
  return id_or_email === undefined ? confinedTo(asker.actor) : (await requireAccount(asker, id_or_email)).id;
}

/** The kinds of objects that a request may name and that may not exist. */
type Thing =
  | "account"
  | "key"
  | "model"
  | "request"
  | "user"
  | "invitation"
  | "passkey"
  | "provider"
  | "session"
  | "vendor";

export function notFound(kind: Thing, name: string): GatewayError {
  const shown = name.length <= 100 ? name : `${name.slice(0, 100)}…`;
  return new GatewayError("not_found", `There is no ${kind} '${shown}'.`);
}
