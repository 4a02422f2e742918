import type { UserStore } from "../../core/users.ts";
import { listAuditEntries } from "../audit-log/list-entries.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import type { Work } from "../sql/work.ts";
import { addIdentity, deleteIdentity, signInByIdentity } from "./identities.ts";
import { createLink, deleteInvitation, findLink, listInvitations, spendLink } from "./links.ts";
import { countTry, forgetTries, putChallenge, takeChallenge } from "./passing.ts";
import { addPasskey, deletePasskey, findPasskey, listPasskeys, recordPasskeyUse } from "./passkeys.ts";
import { endSession, findSession, listSessions, openSession, touchSession } from "./sessions.ts";
import { findUser } from "./user-record.ts";
import { administratorCanSignIn, findPasswordHash, listUsers, updateUser } from "./users.ts";

export type UserMethod = keyof UserStore;
export type UserArgs<M extends UserMethod> = Parameters<UserStore[M]>;
type UserWorks = {
  readonly [M in UserMethod]: (...args: UserArgs<M>) => Work<Awaited<ReturnType<UserStore[M]>>>;
};

/** Every method of the user store as a work, once for both drivers. */
export const USER_WORKS: UserWorks = {
  listUsers,
  findUser,
  findPasswordHash,
  updateUser,
  administratorCanSignIn,
  openSession,
  findSession,
  touchSession,
  listSessions,
  endSession,
  createLink,
  findLink,
  listInvitations,
  deleteInvitation,
  spendLink,
  addPasskey,
  listPasskeys,
  findPasskey,
  recordPasskeyUse,
  deletePasskey,
  signInByIdentity,
  addIdentity,
  deleteIdentity,
  putChallenge,
  takeChallenge,
  countTry,
  forgetTries,
  addAuditEntry: writeAuditEntry,
  listAuditEntries,
};

/** Methods that only read. The others take their turn with the ledger's commits. */
const READS: ReadonlySet<UserMethod> = new Set<UserMethod>([
  "listUsers",
  "findUser",
  "findPasswordHash",
  "administratorCanSignIn",
  "findSession",
  "listSessions",
  "findLink",
  "listInvitations",
  "listPasskeys",
  "findPasskey",
  "listAuditEntries",
]);

export function isUserWrite(method: UserMethod): boolean {
  return !READS.has(method);
}

/** How a driver runs a method, wherever that is. */
export type RunUserMethod = (method: UserMethod, args: unknown[]) => Promise<unknown>;

export function userStore(run: RunUserMethod): UserStore {
  const methods = Object.keys(USER_WORKS) as UserMethod[];
  const calls = methods.map((method) => [method, (...args: unknown[]) => run(method, args)]);
  return Object.fromEntries(calls) as UserStore;
}

/** A method's work, from arguments that have travelled: their types are the method's, which the store saw to. */
export function userWork(method: UserMethod, args: readonly unknown[]): Work<unknown> {
  return (USER_WORKS[method] as (...args: readonly unknown[]) => Work<unknown>)(...args);
}
