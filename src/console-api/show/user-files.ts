import type { Cell } from "../../../contract/csv.ts";
import type { User } from "../../../contract/users.ts";

/** Users as rows of a file. */
export const USER_COLUMNS = [
  ...["id", "email", "name", "role", "status", "accounts", "has_password", "passkeys", "identities", "created_at"],
  "last_seen_at",
];

/** `emails`: of accounts, by id. */
export function userRow(user: User, emails: ReadonlyMap<string, string>): Cell[] {
  return [
    ...[user.id, user.email, user.name, user.role, user.status],
    user.accounts.map(({ account, role }) => `${emails.get(account) ?? account} (${role})`).join(", "),
    ...[user.has_password ? 1 : 0, user.passkeys, user.identities.join(" "), user.created_at, user.last_seen_at],
  ];
}
