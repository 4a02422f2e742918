import type { Key } from "../../../../contract/keys.ts";

export type KeyState = "active" | "expired" | "disabled" | "revoked";

/** What a key can do now: one that is active by its status may be past its day. */
export function keyState({ status, expires_at }: Pick<Key, "status" | "expires_at">, now_ms: number): KeyState {
  const over = expires_at !== null && Date.parse(expires_at) <= now_ms;
  return status === "active" && over ? "expired" : status;
}

/** What a key is called: its name, or its last four characters where it has none. */
export function keyName({ name, hint }: Pick<Key, "name" | "hint">): string {
  return name || `Key …${hint}`;
}

/** The key as far as it is known: only its last four characters are. */
export function maskedKey({ hint }: Pick<Key, "hint">): string {
  return `cm-…${hint}`;
}

const WINDOWS = { day: "a day", week: "a week", month: "a month" } as const;

/** "a day". */
export function perWindow(window: keyof typeof WINDOWS): string {
  return WINDOWS[window];
}
