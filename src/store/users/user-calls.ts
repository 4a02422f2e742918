import type { UserStore } from "../../core/people/users.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

export type UserMethod = keyof UserStore;

/** Methods that read run beside the ledger's commits, the others between them. */
export const USER_KINDS: Readonly<Record<UserMethod, "read" | "write">> = {
  ...{ listUsers: "read", searchUsers: "read", labelUsers: "read", findUser: "read", updateUser: "write" },
  ...{ findPasswordHash: "read", administratorCanSignIn: "read" },
  ...{ openSession: "write", findSession: "read", touchSession: "write", listSessions: "read", endSession: "write" },
  ...{ createLink: "write", findLink: "read", spendLink: "write", joinByLink: "write" },
  ...{ listInvitations: "read", searchInvitations: "read", findInvitation: "read", deleteInvitation: "write" },
  ...{ addPasskey: "write", listPasskeys: "read", findPasskey: "read", recordPasskeyUse: "write" },
  ...{ deletePasskey: "write", signInByIdentity: "write", addIdentity: "write", deleteIdentity: "write" },
  ...{ putChallenge: "write", takeChallenge: "write" },
  ...{ countTry: "write", triesOf: "read", takeTry: "write", forgetTries: "write" },
  ...{ listMembers: "read", searchMembers: "read", findMember: "read" },
  ...{ setMembership: "write", removeMembership: "write" },
  ...{ createManagementKey: "write", listManagementKeys: "read", findManagementKey: "read" },
  ...{ findManagementKeyByHash: "read", touchManagementKey: "write", revokeManagementKey: "write" },
  ...{ listPrompts: "read", findPrompt: "read", createPrompt: "write", updatePrompt: "write" },
  ...{ deletePrompt: "write", addAuditEntry: "write", listAuditEntries: "read" },
  ...{ listOwingElsewhere: "read", bookOwing: "write", noteCreditBooked: "write", mirrorProject: "write" },
};

export function isUserWrite(method: UserMethod): boolean {
  return USER_KINDS[method] === "write";
}

/**
 * Whether a write looks for what it would make: of two at once on PostgreSQL the second meets what the first has made (a StoreConflict), and finds
 * it when it runs again.
 */
export function findsOrMakes(method: UserMethod): boolean {
  return method === "signInByIdentity" || method === "addIdentity";
}

export function userStore(run: RunMethod<UserMethod>): UserStore {
  return portOf(USER_KINDS, run);
}
