import type { SessionRecord, UserRecord } from "../../core/people/users.ts";

const DAY_MS = 24 * 60 * 60_000;

/** A session ends after a week without use, and in any case after a month. */
export const SESSION_LIFE = { idle_ms: 7 * DAY_MS, absolute_ms: 30 * DAY_MS } as const;

/** The least time between two marks of a session as used, so that not every page view writes to the database. */
const MARK_EVERY_MS = 60_000;
/** How long a user who signed in by a link may set a password without the old one, which may be forgotten (docs/rulings.md 117). */
const LINK_GRACE_MS = 30 * 60_000;

/** When a session ends unless it is used before. */
export function sessionEnd(session: {
  readonly last_seen_ms: number;
  readonly idle_ms: number;
  readonly ends_ms: number;
}): number {
  return Math.min(session.last_seen_ms + session.idle_ms, session.ends_ms);
}

export function isOpenSession({ expires_ms }: Pick<SessionRecord, "expires_ms">, now_ms: number): boolean {
  return expires_ms > now_ms;
}

export function maySignIn(user: Pick<UserRecord, "status"> | null): boolean {
  return user?.status === "active";
}

/** Whether the last recorded use is old enough to record another. */
export function isUseStale({ last_seen_ms }: Pick<SessionRecord, "last_seen_ms">, now_ms: number): boolean {
  return now_ms - last_seen_ms >= MARK_EVERY_MS;
}

/**
 * Whether a change of password or e-mail needs the current password, so that a stranger at an unattended browser cannot take the user over.
 */
export function needsPassword(
  { has_password }: Pick<UserRecord, "has_password">,
  { method, created_ms }: Pick<SessionRecord, "method" | "created_ms">,
  now_ms: number,
): boolean {
  const came_by_link = method === "link" && now_ms - created_ms < LINK_GRACE_MS;
  return has_password && !came_by_link;
}
