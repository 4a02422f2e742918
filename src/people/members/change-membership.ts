import type { AccountRole, MemberRecord, Membership } from "../../core/people/memberships.ts";
import { type Refused, refused } from "../refused.ts";
import { type Owner, refuseLastOwner } from "./last-owner.ts";

/** The role and the project of a member after a change; `unchanged`: they have them already. */
export type MembershipChange =
  | "unchanged"
  | Refused
  | { readonly role: AccountRole; readonly project_id: string | null };

/** What is known beside the member: the account's owners, and whether the account has the wanted project. */
interface BesideMember {
  readonly owners: readonly Owner[];
  readonly has_project: boolean;
}

/** The project of a member after a change that may leave it as it is; null: none. */
export function wantedProject(before: MemberRecord | null, { project_id }: Membership): string | null {
  return project_id === undefined ? (before?.project?.id ?? null) : project_id;
}

/** Decides over a change of a member, or over a new one. `before`: null for a new one. */
export function decideMembership(
  before: MemberRecord | null,
  wanted: Membership,
  { owners, has_project }: BesideMember,
): MembershipChange {
  const { account_id, role } = wanted;
  const project_id = wantedProject(before, wanted);
  if (before?.role === role && (before.project?.id ?? null) === project_id) return "unchanged";
  if (project_id !== null && !has_project) return refused(noProject(account_id, project_id));
  const last = before?.role === "owner" && role !== "owner" ? refuseLastOwner(before, owners) : null;
  return last ?? { role, project_id };
}

/** Refuses that a member leaves an account that nobody else owns. */
export function refuseLeaving(member: MemberRecord, owners: readonly Owner[]): Refused | null {
  return member.role === "owner" ? refuseLastOwner(member, owners) : null;
}

/** The words for a project that an account does not have. */
export function noProject(account_id: string, project_id: string): string {
  return `The account ${account_id} has no project ${project_id}.`;
}
