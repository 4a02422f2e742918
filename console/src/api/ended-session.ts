import { useSyncExternalStore } from "react";
import type { SessionUser } from "../../../contract/session.ts";

/**
 * The end of a session while its page is open. The page stays with all that was typed, covered by the question to sign in again
 * (app/session-ended.tsx), and only its own user comes back to it.
 */
const state: { user: SessionUser | null; back: PromiseWithResolvers<void> | null } = { user: null, back: null };
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** The user whose session has ended; null while it goes on. */
export function endedUser(): SessionUser | null {
  return state.user;
}

export function useEndedUser(): SessionUser | null {
  return useSyncExternalStore(subscribe, endedUser);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolved when the user is back; every call that meets the end waits for the same return. */
export function markEnded(user: SessionUser): Promise<void> {
  state.back ??= Promise.withResolvers<void>();
  if (state.user === null) {
    state.user = user;
    tell();
  }
  return state.back.promise;
}

export function resume(): void {
  const { back } = state;
  forgetEnd();
  back?.resolve();
}

/** The page is left or begun anew: calls that wait for the user's return are dropped. */
export function forgetEnd(): void {
  state.back = null;
  if (state.user === null) return;
  state.user = null;
  tell();
}

/** Loads the console anew, and with it forgets everything that this page has in its memory. Never resolved. */
export function leaveToOther(to = "/console/"): Promise<never> {
  location.replace(to);
  return new Promise<never>(() => undefined);
}

const tabs = new BroadcastChannel("camino-session");

/** Says to the other tabs of this browser who is signed in now. */
export function tellOtherTabs(user_id: string): void {
  tabs.postMessage(user_id);
}

/** Sets the function that is called when somebody has signed in, in another tab. */
export function whenOtherTabSignsIn(callback: (user_id: string) => void): void {
  tabs.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "string") callback(data);
  };
}
