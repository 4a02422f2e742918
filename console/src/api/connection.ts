import { useSyncExternalStore } from "react";

/** Whether the gateway answered the last call. */
const state = { lost: false };
const listeners = new Set<() => void>();

/** Records of every call whether the gateway itself has answered, and not only a proxy before it. */
export function tellReached(reached: boolean): void {
  if (state.lost === !reached) return;
  state.lost = !reached;
  for (const listener of listeners) listener();
}

/** Whether an answer is the gateway's own, or of a proxy that does not reach it. */
export function isOfGateway({ status, headers }: Pick<Response, "status" | "headers">): boolean {
  const is_proxys = status === 502 || status === 503 || status === 504;
  return !is_proxys || (headers.get("content-type")?.startsWith("application/json") ?? false);
}

export function useIsLost(): boolean {
  return useSyncExternalStore(subscribe, () => state.lost);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
