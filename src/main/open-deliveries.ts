import { MailLimits } from "../access/console/mail-limits.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { openCourier } from "../chores/deliver.ts";
import { TargetBook } from "../chores/target-book.ts";
import type { MailDesk } from "../console-api/answer/mail-desk.ts";
import { DEFAULT_ALERTS } from "../core/catalog/alert-settings.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { Clock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/store/ports.ts";
import { SmtpServer } from "../mail/smtp-server.ts";
import { writeTest } from "../mail/write-letter.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { GuardedClient } from "../webhooks/guarded-client.ts";

interface DeliveryParts {
  readonly store: Pick<Store, "users" | "accounts" | "deliveries">;
  readonly keys: SubKeys;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Starts what sends letters and alerts; nothing where neither is configured. */
export function openDeliveries(
  { store, keys, log, metrics, clock }: DeliveryParts,
  { mail: settings, alerts }: Pick<Configuration, "mail" | "alerts">,
  opened: AsyncDisposableStack,
): { readonly mail?: MailDesk } {
  if (settings === undefined && alerts === undefined) return {};
  const { users, accounts, deliveries } = store;
  const book = new TargetBook({ deliveries, keys, settings: alerts ?? DEFAULT_ALERTS });
  const server = settings && new SmtpServer(settings);
  const mail = settings && server && { settings, server };
  const ways = { keys, client: new GuardedClient(), now_ms: clock.now_ms, ...(mail && { mail }) };
  const letters = mail && { users, accounts, keys, ...mail };
  const courier = openCourier({ deliveries, book, ways, ...(letters && { letters }), log, metrics }, opened);
  if (mail === undefined) return {};
  const test = (to: string): Promise<void> =>
    mail.server.send(writeTest({ to, origin: mail.settings.origin }), newId("link"));
  return { mail: { limits: new MailLimits(users, keys), wake: () => courier.wake(), test } };
}
