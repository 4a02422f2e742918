import type { UserRecord } from "../../core/people/users.ts";
import { someoneCanAdminister } from "../users/last-administrator.ts";
import type { Entry, Person } from "./accept-invitation.ts";

/** The first administrator until they set their own name and e-mail: the address receives no mail. */
export const FIRST_ADMINISTRATOR = { name: "Administrator", email: "admin@camino.local" } as const;

/**
 * Whom the link for the first administrator signs in (docs/rulings.md 117): the administrator who was made first, or a new one where there is
 * none. `dead`: an administrator can sign in otherwise. `administrators`: the active ones, the oldest first.
 */
export function decideFirstAdministrator(administrators: readonly UserRecord[]): "dead" | "new" | UserRecord {
  if (someoneCanAdminister(administrators)) return "dead";
  return administrators[0] ?? "new";
}

/** The first administrator who is about to be made. Nobody vouches for the e-mail. */
export function firstPerson({
  id,
  name,
  password_hash,
}: Pick<Person, "id" | "password_hash"> & { name: string | null }): Person {
  const { email, name: usual } = FIRST_ADMINISTRATOR;
  return { id, email, email_verified: false, name: name ?? usual, password_hash };
}

/** What the link lets its user in as. */
export function firstEntry({ account_id }: Pick<Entry, "account_id">): Entry {
  return { role: "administrator", account_id };
}
