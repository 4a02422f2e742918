import { type AccountRole, roleMay, type Scope } from "../../../contract/permissions.ts";
import { hasKeyShape } from "../../access/api-key.ts";
import { readBearer } from "../../access/read-credential.ts";
import type { TokenGuard } from "../../access/token-guard.ts";
import type { ClientHeaders } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";
import type { AuditActor } from "../../core/people/audit.ts";
import type { Role } from "../../core/people/users.ts";
import type { ReceiptReader } from "../../ledger/receipt.ts";

export type { Role } from "../../core/people/users.ts";

export type Actor =
  | { readonly kind: "admin-token" }
  | {
      readonly kind: "management-key";
      readonly id: string;
      readonly name: string;
      readonly scopes: ReadonlySet<string>;
      /** The only account that the key may access; null: all of them. */
      readonly account_id: string | null;
    }
  | {
      readonly kind: "user";
      readonly user_id: string;
      readonly role: Role;
      /** The account that calls are about where they name none. */
      readonly account_id: string;
      /** The user's role in each of their accounts. Left out: a member of the one account. */
      readonly accounts?: ReadonlyMap<string, AccountRole>;
      /** The user's e-mail of today, for the audit log. */
      readonly email?: string;
      readonly session_id?: string;
    }
  /** Nobody is signed in. `ended`: the caller's session has ended. */
  | { readonly kind: "anonymous"; readonly ended: boolean };

/**
 * An actor's role; null where no user is signed in. A management key for all accounts sees them as an administrator does, one for a
 * single account as a member; the scopes of either say what it may do.
 */
export function roleOf(actor: Actor): Role | null {
  switch (actor.kind) {
    case "admin-token":
      return "administrator";
    case "management-key":
      return actor.account_id === null ? "administrator" : "member";
    case "user":
      return actor.role;
    case "anonymous":
      return null;
  }
}

/**
 * Whether an actor reads receipts as the operator or as the account: only administrators see vendors' sentences about the gateway's own
 * account and network.
 */
export function readerOf(actor: Actor): ReceiptReader {
  return roleOf(actor) === "administrator" ? "operator" : "account";
}

/** The name under which an actor's changes are recorded in the ledger. */
export function nameOf(actor: Actor): string {
  if (actor.kind === "management-key") return actor.id;
  return actor.kind === "user" ? actor.user_id : actor.kind;
}

/** Whether an actor may do everything: a person who administers, or the admin token. */
export function isFullAdministrator(actor: Actor): boolean {
  return actor.kind !== "management-key" && roleOf(actor) === "administrator";
}

/** The actor as the audit log records it. */
export function auditActor(actor: Actor): AuditActor {
  if (actor.kind === "user") return { kind: "user", id: actor.user_id, name: actor.email ?? actor.user_id };
  if (actor.kind === "management-key") return { kind: "management-key", id: actor.id, name: actor.name || actor.id };
  return { kind: actor.kind, id: null, name: actor.kind };
}

/** A user's role in an account; null where they do not belong to it. */
export function accountRoleOf(actor: Actor, account_id: string): AccountRole | null {
  if (actor.kind !== "user") return null;
  if (actor.accounts === undefined) return actor.account_id === account_id ? "member" : null;
  return actor.accounts.get(account_id) ?? null;
}

export function sees(actor: Actor, account_id: string): boolean {
  if (actor.kind === "management-key") return actor.account_id === null || actor.account_id === account_id;
  return roleOf(actor) === "administrator" || accountRoleOf(actor, account_id) !== null;
}

/** Whether an actor may do something in an account that it sees. */
export function mayIn(actor: Actor, account_id: string, scope: Scope): boolean {
  if (actor.kind === "management-key") return sees(actor, account_id) && actor.scopes.has(scope);
  if (roleOf(actor) === "administrator") return true;
  const role = accountRoleOf(actor, account_id);
  return role !== null && roleMay(role, scope);
}

/** The ids of the accounts that an actor belongs to; null for administrators, who see every account. */
export function accountsOf(actor: Actor): readonly string[] | null {
  if (roleOf(actor) === "administrator") return null;
  if (actor.kind === "management-key") return actor.account_id === null ? null : [actor.account_id];
  if (actor.kind !== "user") return [];
  return actor.accounts === undefined ? [actor.account_id] : [...actor.accounts.keys()];
}

/**
 * The id of the account that an actor's calls cover where they name none; null for administrators, who see every account. Where
 * nobody is signed in, the id is empty, which no account's id is.
 */
export function confinedTo(actor: Actor): string | null {
  if (roleOf(actor) === "administrator") return null;
  return actor.kind === "user" || actor.kind === "management-key" ? (actor.account_id ?? "") : "";
}

/** The actor behind `Authorization: Bearer <CAMINO_ADMIN_TOKEN>`. Throws a 401, or a 429 after many wrong tokens. */
export function readActor(headers: ClientHeaders, admin_token: TokenGuard, address: string | null): Actor {
  const token = readBearer(headers);
  if (token === null) throw missingToken();
  if (admin_token.judge(token, address) === "wrong") {
    if (hasKeyShape(token)) throw apiKeyHere();
    throw new GatewayError(
      "invalid_api_key",
      "The admin token is not valid. It is in the file admin-token of the gateway's data directory, or in CAMINO_ADMIN_TOKEN.",
    );
  }
  return { kind: "admin-token" };
}

/** An API key never administers, whether or not it is valid: this error depends on the key's shape alone. */
function apiKeyHere(): GatewayError {
  return new GatewayError(
    "invalid_api_key",
    "This is an API key (cm-…): it can call models only. Use a management key (cmm-…) or the admin token.",
  );
}

/** The 401 where neither a token nor a session was sent. */
export function missingToken(): GatewayError {
  return new GatewayError(
    "missing_api_key",
    "No admin token or management key was sent. Send it as `Authorization: Bearer <…>`.",
  );
}
