import type { AccountRole } from "../../core/people/memberships.ts";

/** The role of a user who joins an account: the one that was said, else owner of an account that has no owner, else member. */
export function roleOfJoining(said: AccountRole | null, has_owner: boolean): AccountRole {
  return said ?? (has_owner ? "member" : "owner");
}
