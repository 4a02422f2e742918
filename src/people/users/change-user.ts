import type { UserPatch, UserRecord } from "../../core/people/users.ts";
import { type Refused, refused } from "../refused.ts";
import { emailTaken, isSameEmail } from "./email-key.ts";
import { refuseLastAdministrator } from "./last-administrator.ts";
import { stillVouched } from "./vouched-email.ts";

/** What a user's row becomes, and which of their sessions end with it. */
interface UserChange extends Pick<UserRecord, "email" | "email_verified" | "name" | "role" | "status"> {
  /** Null: it stays as it is. */
  readonly password_hash: string | null;
  readonly ended_sessions: EndedSessions | null;
}

/** All sessions of a user but perhaps one. */
export interface EndedSessions {
  readonly but_id: string | null;
}

/** What is known beside the user: the active administrators, and whether another user has the wanted e-mail. */
export interface BesideUser {
  readonly administrators: readonly Pick<UserRecord, "id">[];
  readonly is_email_taken: boolean;
}

/** Whether a change gives a user another e-mail than they have, which nobody else may have. */
export function changesEmail(before: Pick<UserRecord, "email">, { email }: Pick<UserPatch, "email">): boolean {
  return email !== undefined && !isSameEmail(email, before.email);
}

/** Decides over a change of a user. A disabled user's sessions end for good; a new password ends all but the one that set it. */
export function decideUserChange(before: UserRecord, patch: UserPatch, beside: BesideUser): UserChange | Refused {
  const { name = before.name, role = before.role, status = before.status, password_hash = null } = patch;
  const email = patch.email?.trim() ?? before.email;
  if (changesEmail(before, patch) && beside.is_email_taken) return refused(emailTaken(email));
  const last = refuseLastAdministrator(before.id, { role, status }, beside.administrators);
  if (last !== null) return last;
  const but_id = status === "disabled" ? null : (patch.keep_session_id ?? null);
  const ended_sessions = status === "disabled" || password_hash !== null ? { but_id } : null;
  return { email, email_verified: stillVouched(before, email), name, role, status, password_hash, ended_sessions };
}
