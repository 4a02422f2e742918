import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { Session, SessionUser } from "../../../contract/session.ts";
import { ApiError } from "./api-error.ts";
import { call, setCsrfToken } from "./call.ts";
import { endedUser, forgetEnd, leaveToOther, markEnded, resume, tellOtherTabs } from "./ended-session.ts";
import { queryClient } from "./query-client.ts";

const SESSION = ["session"];

/** The session; null where nobody is signed in. It is loaded once and kept until it ends. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<Session | null> => {
    const known = knownSession();
    try {
      const session = await call("GET /session", {}, signal);
      if (known !== null && known.user.id !== session.user.id) return await leaveToOther();
      setCsrfToken(session.csrf_token);
      if (known === null) tellOtherTabs(session.user.id);
      return session;
    } catch (thrown) {
      if (!(thrown instanceof ApiError && thrown.status === 401)) throw thrown;
      if (known !== null) void endSession();
      return known;
    }
  },
});

function knownSession(): Session | null {
  return queryClient.getQueryData<Session | null>(SESSION) ?? null;
}

/**
 * Notes that the session has ended, on a page that is open: the page stays as it is, under the question to sign in again. The promise is
 * resolved when its user is back. Null where no user was signed in.
 */
export function endSession(): Promise<void> | null {
  const known = knownSession();
  if (known === null) return null;
  setCsrfToken(null);
  return markEnded(known.user);
}

/** Goes on with the page after its user has signed in again. Anybody else gets a new page: nothing of it is theirs. */
export function resumeSession({ user, csrf_token, expires_at }: Session): void {
  const ended = endedUser();
  if (ended !== null && ended.id !== user.id) return void leaveToOther();
  updateSession({ user, csrf_token, expires_at });
  tellOtherTabs(user.id);
  resume();
  void queryClient.invalidateQueries();
}

/** A user has signed in in another tab of this browser, whose cookie is this tab's too. */
export async function hearOfSignIn(user_id: string): Promise<void> {
  const known = knownSession();
  if (known === null) return;
  if (known.user.id !== user_id) return await leaveToOther();
  if (endedUser() === null) return rereadSession();
  const session = await call("GET /session", {}).catch(() => null);
  if (session !== null) resumeSession(session);
}

/** Takes over the session that a sign-in has just opened, and forgets all that an earlier session had loaded. */
export function beginSession(session: Session): void {
  queryClient.clear();
  forgetEnd();
  setCsrfToken(session.csrf_token);
  queryClient.setQueryData<Session | null>(SESSION, session);
  tellOtherTabs(session.user.id);
}

/** Forgets the session and everything that was loaded in it. */
export function forgetSession(): void {
  setCsrfToken(null);
  forgetEnd();
  queryClient.clear();
  queryClient.setQueryData<Session | null>(SESSION, null);
}

let last_user: SessionUser | null = null;

/** The signed-in user, below the shell. After the session's end, the last user until the sign-in page appears. */
export function useUser(): SessionUser {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data !== null) last_user = data.user;
  if (last_user === null) throw new Error("Nobody is signed in.");
  return last_user;
}

/** Reads the session again: the user's accounts and roles may have changed. */
export function rereadSession(): void {
  void queryClient.invalidateQueries({ queryKey: SESSION });
}

/** Shows changed details of the signed-in user everywhere. */
export function updateSession(session: Session): void {
  setCsrfToken(session.csrf_token);
  queryClient.setQueryData<Session | null>(SESSION, session);
}

export function useIsAdministrator(): boolean {
  return useUser().role === "administrator";
}
