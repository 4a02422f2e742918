import { StoreConflict } from "../../core/store/ports.ts";
import { sql } from "../sql/statement.ts";
import { row, type Work } from "../sql/work.ts";

const selectAccount = sql("SELECT id FROM accounts WHERE id = ? {lock}");
const selectUser = sql("SELECT id FROM users WHERE id = ? {lock}");

/**
 * Holds an account until the end of the transaction, as an admission does: changes of it take turns, and no request is admitted by an old record after
 * them. False: there is no such account.
 */
export function* lockAccount(account_id: string): Work<boolean> {
  return (yield* row(selectAccount, [account_id])) !== null;
}

/** The same. Throws a StoreConflict where there is no such account. */
export function* requireAccount(account_id: string): Work<void> {
  if (!(yield* lockAccount(account_id))) throw noAccount(account_id);
}

export function noAccount(account_id: string): StoreConflict {
  return new StoreConflict(`There is no account ${account_id}.`);
}

/** Holds a user until the end of the transaction. False: there is no such user. */
export function* lockUser(user_id: string): Work<boolean> {
  return (yield* row(selectUser, [user_id])) !== null;
}

/** Gives keys a new version, so that no record that was read before is used after. */
export const renewKeys = {
  account: sql("UPDATE keys SET version = version + 1 WHERE account_id = ?"),
  project: sql("UPDATE keys SET version = version + 1 WHERE project_id = ?"),
  key: sql("UPDATE keys SET version = version + 1 WHERE id = ?"),
} as const;
