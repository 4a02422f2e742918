import { hashToken, linkAddress, linkToken } from "../access/console/tokens.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import type { MailSettings } from "../core/catalog/mail-settings.ts";
import type { ClaimedDelivery } from "../core/deliveries/deliveries.ts";
import type { LinkRecord, UserStore } from "../core/people/users.ts";
import { type AccountStore, StoreConflict } from "../core/store/ports.ts";
import type { SmtpServer } from "../mail/smtp-server.ts";
import { type Letter, writeInvitation, writeReset } from "../mail/write-letter.ts";
import { FIRST_ADMINISTRATOR } from "../people/links/first-administrator.ts";
import { ASKED_RESET_LIFE_MS } from "../people/links/link-lives.ts";
import { failedWith, type Tried } from "./tried.ts";

/** The maker of a link that its user asked for. */
const ASKED_FOR = "gateway";

export interface LetterParts {
  readonly users: UserStore;
  readonly accounts: Pick<AccountStore, "findAccount">;
  readonly keys: SubKeys;
  readonly settings: MailSettings;
  readonly server: Pick<SmtpServer, "send" | "stop">;
}

/** Writes a letter with a link, of what is true now, and sends it. */
export async function sendLetter(parts: LetterParts, delivery: ClaimedDelivery): Promise<Tried> {
  const letter = await writeLetter(parts, delivery);
  if (letter === null) return { how: "not_needed", status: null };
  try {
    await parts.server.send(letter, delivery.id);
    return { how: "sent", status: null };
  } catch (thrown) {
    return failedWith(thrown);
  }
}

/** The letter; null where there is nobody to send it to, or its link can be used no more. */
async function writeLetter(parts: LetterParts, delivery: ClaimedDelivery): Promise<Letter | null> {
  const { users, accounts, settings, keys } = parts;
  const { origin } = settings;
  const token = linkToken(keys, delivery.id);
  const link = await linkOf(users, delivery, hashToken(keys, "link", token));
  if (link === null) return null;
  // To the user's own address, and not to one that a database takes for the same.
  const to = link.email ?? delivery.recipient;
  const facts = { to, link: linkAddress(origin, token), ends_ms: link.expires_ms, origin };
  if (delivery.kind === "password-reset") return writeReset({ ...facts, offered: link.made_by !== ASKED_FOR });
  const [maker, account] = await Promise.all([
    users.findUser(link.made_by),
    link.account_id === null ? null : accounts.findAccount(link.account_id),
  ]);
  const inviter = maker && (maker.name || maker.email);
  return writeInvitation({ ...facts, inviter, account: account && (account.name || account.email) });
}

/** The link of the letter. That of a password reset is made now, so that a stranger who asks for one learns nothing, not even by the time it takes (docs/rulings.md 224). */
async function linkOf(users: UserStore, delivery: ClaimedDelivery, token_hash: string): Promise<LinkRecord | null> {
  const { id, kind, recipient, asked_from } = delivery;
  const made = await users.findLink(token_hash);
  if (made !== null || kind === "invitation") return made;
  const user = await users.findUser(recipient);
  // A user without a password signs in by other ways, which a mailbox must not replace. The first administrator's address receives no mail.
  if (user === null || user.status !== "active" || !user.has_password) return null;
  if (user.email === FIRST_ADMINISTRATOR.email || user.id === recipient) return null;
  const { role, id: user_id, account_id, email } = user;
  const about = { purpose: "password-reset", email, role, user_id, account_id, vouched: false } as const;
  const actor = { kind: "anonymous", id: null, name: "anonymous" } as const;
  const note = { actor, action: "user.ask-reset", address: asked_from };
  const fresh = { ...about, id, token_hash, made_by: ASKED_FOR, ttl_ms: ASKED_RESET_LIFE_MS };
  return await users.createLink(fresh, note).catch((thrown: unknown) => {
    // It was made for an earlier try, and is used or over by now.
    if (thrown instanceof StoreConflict) return null;
    throw thrown;
  });
}
