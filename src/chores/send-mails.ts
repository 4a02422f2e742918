import { hashToken, linkAddress, linkToken } from "../access/console/tokens.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import type { MailSettings } from "../core/catalog/mail-settings.ts";
import type { ClaimedMail } from "../core/people/mails.ts";
import type { LinkRecord, UserStore } from "../core/people/users.ts";
import { type AccountStore, StoreConflict } from "../core/store/ports.ts";
import { waitAfter } from "../mail/retry-waits.ts";
import { MailError, type SmtpServer } from "../mail/smtp-server.ts";
import { type Letter, writeInvitation, writeReset } from "../mail/write-letter.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { FIRST_ADMINISTRATOR } from "../people/links/first-administrator.ts";
import { ASKED_RESET_LIFE_MS } from "../people/links/link-lives.ts";
import { BackgroundChore } from "./background-chore.ts";

/** How often it is looked for mails that another process put down, and for those that waited. */
const EVERY_MS = 5_000;
/** Longer than a try takes. A mail whose sender died is due again afterwards. */
const LEASE_MS = 3 * 60_000;

export interface MailerParts {
  readonly users: UserStore;
  readonly accounts: Pick<AccountStore, "findAccount">;
  readonly keys: SubKeys;
  readonly settings: MailSettings;
  readonly server: Pick<SmtpServer, "send" | "stop">;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly metrics: Pick<Metrics, "mails">;
  /** Default: 5 s. */
  readonly every_ms?: number;
}

/**
 * Sends the mails that wait, one after the other, beside everything else (docs/rulings.md 225): each at least once, also over crashes and several
 * nodes. A letter is written when it is sent, of what is true then.
 */
export class Mailer {
  readonly #parts: MailerParts;
  readonly #chore: BackgroundChore;
  /** Whether a mail was put down while others were being sent. */
  #is_asked = false;

  constructor(parts: MailerParts) {
    this.#parts = parts;
    this.#chore = new BackgroundChore({
      every_ms: parts.every_ms ?? EVERY_MS,
      work: () => this.#sendDue(),
      onFailure: (thrown) => parts.log.error({ err: thrown }, "mails could not be read: it is tried again"),
    });
  }

  start(): void {
    this.#chore.start();
  }

  /** A mail was put down here: it need not wait for its turn. */
  wake(): void {
    this.#is_asked = true;
    void this.#chore.run();
  }

  /** Ends a try that is under way, after which another node has the mail, or this one when it starts again. */
  async stop(): Promise<void> {
    this.#parts.server.stop();
    await this.#chore.stop();
  }

  async #sendDue(): Promise<void> {
    const { users, metrics, log } = this.#parts;
    for (;;) {
      this.#chore.throwIfStopped();
      this.#is_asked = false;
      const { mail, given_up } = await users.claimMail(LEASE_MS);
      if (given_up > 0) {
        metrics.mails.add(given_up, "any", "given_up");
        log.warn({ mails: given_up }, "mails were given up: the mail server did not take them in time");
      }
      if (mail !== null) {
        if (!(await this.#trySend(mail))) return;
      } else if (!this.#is_asked) return;
    }
  }

  /** Whether others are to be tried now: not where the server itself cannot be used. */
  async #trySend(mail: ClaimedMail): Promise<boolean> {
    const { users, metrics, log, server } = this.#parts;
    const { id, kind, attempts } = mail;
    try {
      const letter = await this.#write(mail);
      if (letter !== null) await server.send(letter, id);
      await users.endMail(mail);
      metrics.mails.add(1, kind, letter === null ? "not_needed" : "sent");
      return true;
    } catch (thrown) {
      if (!(thrown instanceof MailError)) throw thrown;
      const told = { mail: id, kind, attempts, reason: thrown.message };
      if (thrown.is_final) {
        await users.endMail(mail);
        metrics.mails.add(1, kind, "refused");
        log.warn(told, "a mail was refused for good");
        return true;
      }
      const waits = await users.delayMail(mail, waitAfter(attempts));
      if (!waits) metrics.mails.add(1, kind, "given_up");
      log.warn(told, waits ? "a mail could not be sent: it is tried again" : "a mail was given up");
      return !thrown.is_of_server;
    }
  }

  /** The letter; null where there is nobody to send it to, or its link can be used no more. */
  async #write(mail: ClaimedMail): Promise<Letter | null> {
    const { users, accounts, settings, keys } = this.#parts;
    const { origin } = settings;
    const token = linkToken(keys, mail.id);
    const link = await this.#linkOf(mail, hashToken(keys, "link", token));
    if (link === null) return null;
    // To the user's own address, and not to one that a database takes for the same.
    const facts = { to: link.email ?? mail.email, link: linkAddress(origin, token), ends_ms: link.expires_ms, origin };
    if (mail.kind === "password-reset") return writeReset(facts);
    const [maker, account] = await Promise.all([
      users.findUser(link.made_by),
      link.account_id === null ? null : accounts.findAccount(link.account_id),
    ]);
    const inviter = maker && (maker.name || maker.email);
    return writeInvitation({ ...facts, inviter, account: account && (account.name || account.email) });
  }

  /** The link that the mail brings. A reset's is made now, so that who asks for one learns nothing, also by time (docs/rulings.md 224). */
  async #linkOf(mail: ClaimedMail, token_hash: string): Promise<LinkRecord | null> {
    const { users } = this.#parts;
    const made = await users.findLink(token_hash);
    if (made !== null || mail.kind === "invitation") return made;
    const user = await users.findUser(mail.email);
    // Who has no password signs in by other ways, which a mailbox is not to replace. The first administrator's address is nobody's.
    if (user === null || user.status !== "active" || !user.has_password) return null;
    if (user.email === FIRST_ADMINISTRATOR.email || user.id === mail.email) return null;
    const { role, id: user_id, account_id, email } = user;
    const about = { purpose: "password-reset", email, role, user_id, account_id, vouched: false } as const;
    const actor = { kind: "anonymous", id: null, name: "anonymous" } as const;
    const note = { actor, action: "user.ask-reset", address: mail.asked_from };
    const fresh = { ...about, id: mail.id, token_hash, made_by: "gateway", ttl_ms: ASKED_RESET_LIFE_MS };
    return await users.createLink(fresh, note).catch((thrown: unknown) => {
      // It was made for an earlier try, and is used or over by now.
      if (thrown instanceof StoreConflict) return null;
      throw thrown;
    });
  }
}

/** Starts sending what waits. */
export function openMailer(parts: MailerParts, opened: AsyncDisposableStack): Mailer {
  const mailer = new Mailer(parts);
  opened.defer(() => mailer.stop());
  mailer.start();
  return mailer;
}
