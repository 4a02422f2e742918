import type { Scope } from "../../../contract/permissions.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { ProjectRecord } from "../../core/people/projects.ts";
import type { AccountRecord } from "../../core/store/ports.ts";
import { type Actor, accountRoleOf, accountsOf, confinedTo, isFullAdministrator, mayIn, sees } from "./actor.ts";
import { ConsoleError } from "./console-error.ts";
import type { ConsoleCall, ConsoleRoute } from "./route.ts";

/**
 * Access of actors to accounts and keys. An actor that names a key of an account which it cannot see gets the 404 of a key that does not
 * exist, so the answer reveals nothing. An actor that sees the account, but lacks the permission, gets a 403 that says why.
 */

type Asker = Pick<ConsoleCall, "deps" | "actor" | "scope" | "params">;

/** The account by id or e-mail: of the path, where none is named. Throws 404 and 403. */
export async function requireAccount(asker: Asker, id_or_email = asker.params.account ?? ""): Promise<AccountRecord> {
  const account = await asker.deps.accounts.findAccount(id_or_email);
  if (!account || !sees(asker.actor, account.id)) throw notFound("account", id_or_email);
  requireScope(asker, account.id);
  return account;
}

/** The key by id: of the path, where none is named. Throws 404 and 403. */
export async function requireKey(asker: Asker, key_id = asker.params.key ?? ""): Promise<KeyRecord> {
  const key = await asker.deps.accounts.findKey(key_id);
  if (!key || !sees(asker.actor, key.account_id)) throw notFound("key", key_id);
  requireScope(asker, key.account_id);
  return key;
}

/** The project of the path. Throws 404 and 403. */
export async function requireProject(asker: Asker): Promise<ProjectRecord> {
  const project_id = asker.params.project ?? "";
  const project = await asker.deps.accounts.findProject(project_id);
  if (!project || !sees(asker.actor, project.account_id)) throw notFound("project", project_id);
  requireScope(asker, project.account_id);
  return project;
}

/**
 * The id of the account that a list covers: the named account, else the actor's own; null: all. Throws 404 and 403
 * (docs/rulings.md 108).
 */
export async function requireAccounts(asker: Asker, id_or_email: string | undefined): Promise<string | null> {
  if (id_or_email !== undefined) return (await requireAccount(asker, id_or_email)).id;
  const own = confinedTo(asker.actor);
  if (own !== null) requireScope(asker, own);
  return own;
}

/** The id of the account that a view shows: the named account, else the user's own. Throws 400, 404 and 403. */
export async function viewedAccount(asker: Asker, named: string | undefined): Promise<string> {
  if (named !== undefined) return (await requireAccount(asker, named)).id;
  // An administrator has an account too.
  const own = asker.actor.kind === "user" ? asker.actor.account_id : confinedTo(asker.actor);
  if (own === null) throw invalidRequest("'account' is missing; allowed: an account id or e-mail address.", "account");
  requireScope(asker, own);
  return own;
}

/** Throws a 403 where the actor lacks the call's scope in an account. */
export function requireScope({ actor, scope }: Pick<Asker, "actor" | "scope">, account_id: string): void {
  if (scope === undefined || scope === "self") return;
  if (scope === null ? isFullAdministrator(actor) : mayIn(actor, account_id, scope)) return;
  throw notPermitted(actor, account_id, scope);
}

/** Throws a 403 where the actor has the route's scope in no account. */
export function requireScopeSomewhere(actor: Actor, { scope, role, path }: ConsoleRoute): void {
  if (actor.kind === "management-key") return requireScopeOfKey(actor, { scope, role, path });
  const own = accountsOf(actor);
  if (own === null || scope === "self") return;
  if (scope !== null && own.some((account_id) => mayIn(actor, account_id, scope))) return;
  throw notPermitted(actor, own[0] ?? "", scope);
}

/** A management key needs the route's scope; one for a single account also a route that is about one account. */
function requireScopeOfKey(
  actor: Actor & { readonly kind: "management-key" },
  { scope, role, path }: Pick<ConsoleRoute, "scope" | "role" | "path">,
): void {
  if (scope === "self" || scope === null || scope === "playground:use") {
    throw new ConsoleError("not_permitted", "A management key cannot do this: sign in, or use the admin token.");
  }
  if (!actor.scopes.has(scope)) throw notPermitted(actor, "", scope);
  if (actor.account_id === null || role === "member" || isOfAccount(path)) return;
  const message = `This management key is for the account ${actor.account_id} alone, and this is about the whole gateway.`;
  throw new ConsoleError("not_permitted", message);
}

/** Whether an administrator's route is about one account, which its handler checks. */
function isOfAccount(path: string): boolean {
  return path.includes("/{account}") || path.endsWith("/credits/auto-top-up");
}

function notPermitted(actor: Actor, account_id: string, scope: Scope | null): ConsoleError {
  const needed = scope === null ? "do this" : `do this (${scope})`;
  if (actor.kind === "management-key") {
    const own = [...actor.scopes].join(", ");
    return new ConsoleError("not_permitted", `This management key may not ${needed}. Its scopes: ${own}.`);
  }
  const role = accountRoleOf(actor, account_id);
  const who =
    role === null
      ? "You are not a member of any account"
      : `Your role in the account ${account_id} is ${role}, which may not ${needed}`;
  return new ConsoleError("not_permitted", `${who}. Ask an owner of the account or an administrator.`);
}

/** The kinds of objects that a request may name and that may not exist. */
type Thing =
  | "account"
  | "content"
  | "key"
  | "model"
  | "request"
  | "user"
  | "member"
  | "invitation"
  | "management key"
  | "budget"
  | "target"
  | "delivery"
  | "passkey"
  | "project"
  | "limit by tag"
  | "prompt"
  | "provider"
  | "session"
  | "vendor";

export function notFound(kind: Thing, name: string): GatewayError {
  const shown = name.length <= 100 ? name : `${name.slice(0, 100)}…`;
  return new GatewayError("not_found", `There is no ${kind} '${shown}'.`);
}
