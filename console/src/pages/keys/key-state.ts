import type { Key } from "../../../../contract/keys.ts";

type KeyState = "active" | "expired" | "disabled" | "revoked";

/** A key's state now: a key whose status is active may have expired. */
export function keyState({ status, expires_at }: Pick<Key, "status" | "expires_at">, now_ms: number): KeyState {
  const over = expires_at !== null && Date.parse(expires_at) <= now_ms;
  return status === "active" && over ? "expired" : status;
}

/** A key's name, or its last four characters where it has no name. */
export function keyName({ name, hint }: Pick<Key, "name" | "hint">): string {
  return name || `Key …${hint}`;
}

/** A key with all but its last four characters masked. */
export function maskedKey({ hint }: Pick<Key, "hint">): string {
  return `cm-…${hint}`;
}

const WINDOWS = { day: "a day", week: "a week", month: "a month", once: "once" } as const;

/** A budget's window in words: "a day". */
export function perWindow(window: keyof typeof WINDOWS): string {
  return WINDOWS[window];
}
