import { timingSafeEqual } from "node:crypto";
import { type HeaderReader, readBearer } from "../../access/read-credential.ts";
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

/** The actor behind `Authorization: Bearer <CAMINO_ADMIN_TOKEN>`. Throws a 401; the tokens are compared in constant time. */
export function readActor(headers: HeaderReader, admin_token: string): Actor {
  const token = readBearer(headers);
  if (token === null) {
    throw new GatewayError(
      "missing_api_key",
      "No admin token was sent. Send it as `Authorization: Bearer <CAMINO_ADMIN_TOKEN>`.",
    );
  }
  if (!isSame(token, admin_token)) {
    throw new GatewayError(
      "invalid_api_key",
      "The admin token is not valid. It is in the file admin-token of the gateway's data directory, or in CAMINO_ADMIN_TOKEN.",
    );
  }
  return { kind: "admin-token" };
}

/** Compares hashes, so that texts of different lengths take the same time too. Nothing equals an empty `expected`. */
function isSame(found: string, expected: string): boolean {
  return expected !== "" && timingSafeEqual(sha256(found), sha256(expected));
}

function sha256(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
