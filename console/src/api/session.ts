import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { Session, SessionUser } from "../../../contract/session.ts";
import { ApiError } from "./api-error.ts";
import { call, setCsrfToken } from "./call.ts";
import { queryClient } from "./query-client.ts";

const SESSION = ["session"];

/** Who is signed in; null for nobody. Asked once, then kept until it ends. */
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

/** Takes over a session that signing in has just opened. What an earlier one had loaded is forgotten. */
export function beginSession(session: Session): void {
  queryClient.clear();
  setCsrfToken(session.csrf_token);
  queryClient.setQueryData<Session | null>(SESSION, session);
}

/** Forgets the session and all that was loaded in it. */
export function forgetSession(): void {
  setCsrfToken(null);
  queryClient.clear();
  queryClient.setQueryData<Session | null>(SESSION, null);
}

let last_user: SessionUser | null = null;

/** Whoever is signed in, below the shell. When the session ends, who it was, until the sign-in page has taken over. */
export function useUser(): SessionUser {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data !== null) last_user = data.user;
  if (last_user === null) throw new Error("Nobody is signed in.");
  return last_user;
}

/** Shows changed details of the signed-in user everywhere. */
export function updateSession(session: Session): void {
  setCsrfToken(session.csrf_token);
  queryClient.setQueryData<Session | null>(SESSION, session);
}

export function useIsAdministrator(): boolean {
  return useUser().role === "administrator";
}
