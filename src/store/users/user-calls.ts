import type { UserStore } from "../../core/people/users.ts";
import { listAuditEntries } from "../audit-log/list-entries.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { countTry, forgetTries, putChallenge, takeChallenge, takeTry, triesOf } from "./challenges-and-tries.ts";
import { addIdentity, deleteIdentity, signInByIdentity } from "./identities.ts";
import {
  createLink,
  deleteInvitation,
  findInvitation,
  findLink,
  joinByLink,
  listInvitations,
  searchInvitations,
  spendLink,
} from "./links.ts";
import {
  createManagementKey,
  findManagementKey,
  findManagementKeyByHash,
  listManagementKeys,
  revokeManagementKey,
  touchManagementKey,
} from "./management-keys.ts";
import { findMember, listMembers, removeMembership, searchMembers, setMembership } from "./memberships.ts";
import { addPasskey, deletePasskey, findPasskey, listPasskeys, recordPasskeyUse } from "./passkeys.ts";
import { createPrompt, deletePrompt, findPrompt, listPrompts, updatePrompt } from "./prompts.ts";
import { endSession, findSession, listSessions, openSession, touchSession } from "./sessions.ts";
import { findUser } from "./user-record.ts";
import { administratorCanSignIn, findPasswordHash, labelUsers, listUsers, searchUsers, updateUser } from "./users.ts";

export type UserMethod = keyof UserStore;

export const USER_WORKS: WorksOf<UserStore> = {
  listUsers,
  searchUsers,
  labelUsers,
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
  searchInvitations,
  findInvitation,
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
  triesOf,
  takeTry,
  forgetTries,
  listMembers,
  searchMembers,
  findMember,
  setMembership,
  removeMembership,
  joinByLink,
  createManagementKey,
  listManagementKeys,
  findManagementKey,
  findManagementKeyByHash,
  touchManagementKey,
  revokeManagementKey,
  listPrompts,
  findPrompt,
  createPrompt,
  updatePrompt,
  deletePrompt,
  addAuditEntry: writeAuditEntry,
  listAuditEntries,
};

/** Methods that only read. The other methods run between the ledger's commits. */
const READS: ReadonlySet<UserMethod> = new Set<UserMethod>([
  "listUsers",
  "searchUsers",
  "labelUsers",
  "findUser",
  "findPasswordHash",
  "administratorCanSignIn",
  "findSession",
  "listSessions",
  "findLink",
  "listInvitations",
  "searchInvitations",
  "findInvitation",
  "listPasskeys",
  "findPasskey",
  "triesOf",
  "listMembers",
  "searchMembers",
  "findMember",
  "listManagementKeys",
  "findManagementKey",
  "findManagementKeyByHash",
  "listPrompts",
  "findPrompt",
  "listAuditEntries",
]);

export function isUserWrite(method: UserMethod): boolean {
  return !READS.has(method);
}

/**
 * Whether a write looks for what it would make: of two at once on PostgreSQL the second meets what the first has made (a StoreConflict), and finds
 * it when it runs again.
 */
export function findsOrMakes(method: UserMethod): boolean {
  return method === "signInByIdentity" || method === "addIdentity";
}

export function userStore(run: RunMethod<UserMethod>): UserStore {
  return portOf(USER_WORKS, run);
}
