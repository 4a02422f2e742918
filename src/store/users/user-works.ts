import type { UserStore } from "../../core/people/users.ts";
import * as projects from "../accounts/projects.ts";
import * as listEntries from "../audit-log/list-entries.ts";
import * as writeEntry from "../audit-log/write-entry.ts";
import { worksOf } from "../calls/works-of.ts";
import * as challengesAndTries from "./challenges-and-tries.ts";
import * as identities from "./identities.ts";
import * as invitedCredit from "./invited-credit.ts";
import * as links from "./links.ts";
import * as managementKeys from "./management-keys.ts";
import * as memberships from "./memberships.ts";
import * as passkeys from "./passkeys.ts";
import * as prompts from "./prompts.ts";
import * as sessions from "./sessions.ts";
import { USER_KINDS } from "./user-calls.ts";
import * as userRecord from "./user-record.ts";
import * as users from "./users.ts";

export const USER_WORKS = worksOf<UserStore>(USER_KINDS, {
  ...{ ...users, ...userRecord, ...sessions, ...passkeys, ...identities, ...challengesAndTries, ...links },
  ...{ ...invitedCredit, ...memberships, ...projects, ...managementKeys, ...prompts },
  ...{ ...listEntries, addAuditEntry: writeEntry.writeAuditEntry },
});
