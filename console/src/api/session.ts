import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { Session, SessionUser } from "../../../contract/session.ts";
import { ApiError } from "./api-error.ts";
import { call, setCsrfToken } from "./call.ts";
import { queryClient } from "./query-client.ts";

const SESSION = ["session"];

/** The session; null where nobody is signed in. It is loaded once and kept until it ends. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await call("GET /session", {}, signal);
      setCsrfToken(session.csrf_token);
      return session;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) return null;
      throw thrown;
    }
  },
});

/** Takes over the session that a sign-in has just opened, and forgets all that an earlier session had loaded. */
export function beginSession(session: Session): void {
  queryClient.clear();
  setCsrfToken(session.csrf_token);
  queryClient.setQueryData<Session | null>(SESSION, session);
}

/** Forgets the session and everything that was loaded in it. */
export function forgetSession(): void {
  setCsrfToken(null);
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
