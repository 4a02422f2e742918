import { MailLimits } from "../access/console/mail-limits.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { openMailer } from "../chores/send-mails.ts";
import type { MailDesk } from "../console-api/answer/mail-desk.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/store/ports.ts";
import { SmtpServer } from "../mail/smtp-server.ts";
import { writeTest } from "../mail/write-letter.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";

interface MailParts {
  readonly store: Pick<Store, "users" | "accounts">;
  readonly keys: SubKeys;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Starts what sends mail; nothing where mail is not configured. */
export function openMail(
  { store, keys, log, metrics }: MailParts,
  { mail: settings }: Pick<Configuration, "mail">,
  opened: AsyncDisposableStack,
): { readonly mail?: MailDesk } {
  if (settings === undefined) return {};
  const { users, accounts } = store;
  const server = new SmtpServer(settings);
  const mailer = openMailer({ users, accounts, keys, settings, server, log, metrics }, opened);
  const test = (to: string): Promise<void> => server.send(writeTest({ to, origin: settings.origin }), newId("link"));
  return { mail: { limits: new MailLimits(users, keys), wake: () => mailer.wake(), test } };
}
