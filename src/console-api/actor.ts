import { timingSafeEqual } from "node:crypto";
import { type HeaderReader, readBearer } from "../access/read-credential.ts";
import { GatewayError } from "../core/errors.ts";

/** What someone may do: a member sees and changes what belongs to their account, an administrator everything. */
export type Role = "administrator" | "member";

/** Who asks the console API. */
export type Actor =
  | { readonly kind: "admin-token" }
  | { readonly kind: "user"; readonly user_id: string; readonly role: Role; readonly account_id: string };

export function roleOf(actor: Actor): Role {
  return actor.kind === "admin-token" ? "administrator" : actor.role;
}

/** The name under which an actor's changes are recorded in the ledger. */
export function nameOf(actor: Actor): string {
  return actor.kind === "admin-token" ? "admin-token" : actor.user_id;
}

/** The one account that an actor is confined to; null for administrators, who see all. */
export function confinedTo(actor: Actor): string | null {
  return actor.kind === "user" && actor.role === "member" ? actor.account_id : null;
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

/** Hashed first, so that texts of different lengths take the same time too. An empty expectation matches nothing. */
function isSame(found: string, expected: string): boolean {
  return expected !== "" && timingSafeEqual(sha256(found), sha256(expected));
}

function sha256(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
