import type { UserStore } from "../../core/people/users.ts";
import { mirrorProject } from "../accounts/projects.ts";
import { listAuditEntries } from "../audit-log/list-entries.ts";
import { writeAuditEntry } from "../audit-log/write-entry.ts";
import type { WorksOf } from "../sql/port.ts";
import { countTry, forgetTries, putChallenge, takeChallenge, takeTry, triesOf } from "./challenges-and-tries.ts";
import { addIdentity, deleteIdentity, signInByIdentity } from "./identities.ts";
import { bookOwing, listOwingElsewhere, noteCreditBooked } from "./invited-credit.ts";
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

export const USER_WORKS: WorksOf<UserStore> = {
  ...{ listUsers, searchUsers, labelUsers, findPasswordHash, updateUser, administratorCanSignIn },
  ...{ openSession, findSession, touchSession, listSessions, endSession },
  ...{ createLink, findLink, listInvitations, searchInvitations, findInvitation, deleteInvitation, spendLink },
  ...{ joinByLink },
  ...{ addPasskey, listPasskeys, findPasskey, recordPasskeyUse, deletePasskey },
  ...{ signInByIdentity, addIdentity, deleteIdentity },
  ...{ putChallenge, takeChallenge, countTry, triesOf, takeTry, forgetTries },
  ...{ listMembers, searchMembers, findMember, setMembership, removeMembership },
  ...{ createManagementKey, listManagementKeys, findManagementKey, findManagementKeyByHash, touchManagementKey },
  ...{ revokeManagementKey },
  ...{ listPrompts, findPrompt, createPrompt, updatePrompt, deletePrompt },
  ...{ listOwingElsewhere, bookOwing, noteCreditBooked },
  ...{ findUser, addAuditEntry: writeAuditEntry, mirrorProject, listAuditEntries },
};
