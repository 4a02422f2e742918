/** An account that a user belongs to, and since when. */
export interface Joined {
  readonly account_id: string;
  readonly joined_ms: number;
}

/**
 * The account that the console shows a user first, after their memberships changed: the same while they belong to it, else the one that
 * they joined first. A user who belongs to no account keeps it.
 */
export function homeAccount(account_id: string, memberships: readonly Joined[]): string {
  if (memberships.some((each) => each.account_id === account_id)) return account_id;
  const [oldest] = memberships.toSorted(inOrder);
  return oldest?.account_id ?? account_id;
}

function inOrder(one: Joined, other: Joined): number {
  return one.joined_ms - other.joined_ms || (one.account_id < other.account_id ? -1 : 1);
}
