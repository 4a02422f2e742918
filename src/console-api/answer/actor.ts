import { type HeaderReader, readBearer } from "../../access/read-credential.ts";
import type { TokenGuard } from "../../access/token-guard.ts";
import type { AuditActor } from "../../core/audit.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Role } from "../../core/users.ts";

export type { Role } from "../../core/users.ts";

/** The caller of the console API. */
export type Actor =
  | { readonly kind: "admin-token" }
  | {
      readonly kind: "user";
      readonly user_id: string;
      readonly role: Role;
      readonly account_id: string;
      /** The user's e-mail of today, for the audit log. */
      readonly email?: string;
      readonly session_id?: string;
    }
  /** Nobody is signed in. `ended`: the caller's session has ended. */
  | { readonly kind: "anonymous"; readonly ended: boolean };

/** An actor's role; null where nobody is signed in. */
export function roleOf(actor: Actor): Role | null {
  switch (actor.kind) {
    case "admin-token":
      return "administrator";
    case "user":
      return actor.role;
    case "anonymous":
      return null;
  }
}

/** The name under which an actor's changes are recorded in the ledger. */
export function nameOf(actor: Actor): string {
  return actor.kind === "user" ? actor.user_id : actor.kind;
}

/** The actor as the audit log records it. */
export function auditActor(actor: Actor): AuditActor {
  if (actor.kind === "user") return { kind: "user", id: actor.user_id, name: actor.email ?? actor.user_id };
  return { kind: actor.kind, id: null, name: actor.kind };
}

/**
 * The id of the only account that an actor may see; null for administrators, who see every account. Where nobody is
 * signed in, the id is empty, which no account's id is.
 */
export function confinedTo(actor: Actor): string | null {
  if (roleOf(actor) === "administrator") return null;
  return actor.kind === "user" ? actor.account_id : "";
}

/** The actor behind `Authorization: Bearer <CAMINO_ADMIN_TOKEN>`. Throws a 401, or a 429 after many wrong tokens. */
export function readActor(headers: HeaderReader, admin_token: TokenGuard, address: string | null): Actor {
  const token = readBearer(headers);
  if (token === null) throw missingToken();
  if (admin_token.judge(token, address) === "wrong") {
    throw new GatewayError(
      "invalid_api_key",
      "The admin token is not valid. It is in the file admin-token of the gateway's data directory, or in CAMINO_ADMIN_TOKEN.",
    );
  }
  return { kind: "admin-token" };
}

/** The 401 where neither a token nor a session was sent. */
export function missingToken(): GatewayError {
  return new GatewayError(
    "missing_api_key",
    "No admin token was sent. Send it as `Authorization: Bearer <CAMINO_ADMIN_TOKEN>`.",
  );
}
