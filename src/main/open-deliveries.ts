import { MailLimits } from "../access/console/mail-limits.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { sealAddress } from "../access/target-addresses.ts";
import { eventBody } from "../alerts/alert-event.ts";
import { TEST_TYPE } from "../alerts/alert-types.ts";
import { type Courier, openCourier } from "../chores/deliver.ts";
import { AlertWatch } from "../chores/look-for-alerts.ts";
import { sendToTarget, type TargetWays } from "../chores/send-to-target.ts";
import { TargetBook } from "../chores/target-book.ts";
import { tellReceipt } from "../chores/tell-receipt.ts";
import type { AlertDesk } from "../console-api/answer/alert-desk.ts";
import type { MailDesk } from "../console-api/answer/mail-desk.ts";
import { type AlertSettings, DEFAULT_ALERTS } from "../core/catalog/alert-settings.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { Clock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/store/ports.ts";
import { SmtpServer } from "../mail/smtp-server.ts";
import { writeTest } from "../mail/write-letter.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { addressProblem, GuardedClient } from "../webhooks/guarded-client.ts";
import { signingSecret } from "../webhooks/sign-webhook.ts";

interface DeliveryParts {
  readonly store: Pick<Store, "users" | "accounts" | "deliveries">;
  readonly keys: SubKeys;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** How often it is looked for alerts; absent: as a gateway does. */
  readonly alerts_every_ms?: number;
}

/** Starts what sends letters and alerts. While nobody has a target and there is no mail server, it asks once a minute whether that is still so. */
export function openDeliveries(
  parts: DeliveryParts,
  { mail: settings, alerts = DEFAULT_ALERTS }: Pick<Configuration, "mail" | "alerts">,
  opened: AsyncDisposableStack,
): { readonly mail?: MailDesk; readonly alerts: AlertDesk } {
  const { store, keys, log, metrics, clock, alerts_every_ms: every_ms } = parts;
  const { users, accounts, deliveries } = store;
  const book = new TargetBook({ deliveries, keys, settings: alerts });
  const mail = settings && { settings, server: new SmtpServer(settings) };
  const ways = { keys, client: new GuardedClient(), now_ms: clock.now_ms, ...(mail && { mail }) };
  const letters = mail && { users, accounts, keys, ...mail };
  const courier = openCourier({ deliveries, book, ways, ...(letters && { letters }), log, metrics }, opened);
  const wake = (): void => courier.wake();
  const timed = every_ms === undefined ? {} : { every_ms };
  const { backup_after_ms } = alerts;
  const watched = { deliveries, book, metrics, log, now_ms: clock.now_ms, wake, backup_after_ms, ...timed };
  const watch = new AlertWatch(watched);
  opened.defer(() => watch.stop());
  watch.start();
  const desk = alertDesk({ book, ways, courier, keys, settings: alerts });
  if (mail === undefined) return { alerts: desk };
  const test = (to: string): Promise<void> =>
    mail.server.send(writeTest({ to, origin: mail.settings.origin }), newId("link"));
  const receipt: MailDesk["receipt"] = async (of) => {
    await tellReceipt({ users, deliveries }, of);
    wake();
  };
  return { mail: { limits: new MailLimits(users, keys), wake, test, receipt }, alerts: desk };
}

interface DeskParts {
  readonly book: TargetBook;
  readonly ways: TargetWays;
  readonly courier: Courier;
  readonly keys: SubKeys;
  readonly settings: AlertSettings;
}

function alertDesk({ book, ways, courier, keys, settings }: DeskParts): AlertDesk {
  return {
    targets: () => book.read(),
    seal: (target_id, address) => sealAddress(keys, target_id, address),
    open: (record) => book.open(record),
    secretOf: (target_id) => signingSecret(keys.target_secret, target_id),
    problemOf: (url, account_id) => addressProblem(url, account_id === null || settings.private_addresses),
    sends_mail: ways.mail !== undefined,
    async test(target) {
      const event = { type: TEST_TYPE, timestamp: new Date(ways.now_ms()).toISOString(), data: {} };
      const tried = await sendToTarget(ways, target, { id: newId("dlv"), body: eventBody(event) });
      return tried.how === "failed" ? tried.reason : null;
    },
    wake() {
      book.changed();
      courier.wake();
    },
  };
}
