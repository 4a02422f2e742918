import type { LinkPurpose, LinkRecord } from "../../core/people/users.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a link of each purpose can be used (docs/rulings.md 117). */
export const LINK_LIVES_MS: Readonly<Record<LinkPurpose, number>> = {
  invitation: 7 * DAY_MS,
  "password-reset": DAY_MS,
  "first-administrator": DAY_MS,
};

/** How long a password reset can be used that somebody asked for by an e-mail, and how long its mail is tried to be sent (docs/rulings.md 224). */
export const ASKED_RESET_LIFE_MS = HOUR_MS;

/** How long an invitation's mail is tried to be sent. */
export const INVITATION_MAIL_MS = DAY_MS;

/** Whether a link can be used: once, and in its time. One for the first administrator may be dead nevertheless (first-administrator.ts). */
export function isOpenLink(
  { used_ms, expires_ms }: Pick<LinkRecord, "expires_ms"> & { readonly used_ms: number | null },
  now_ms: number,
): boolean {
  return used_ms === null && expires_ms > now_ms;
}
