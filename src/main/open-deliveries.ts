import { MailLimits } from "../access/console/mail-limits.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { sealAddress } from "../access/target-addresses.ts";
import { eventBody } from "../alerts/alert-event.ts";
import { TEST_TYPE } from "../alerts/alert-types.ts";
import { begin } from "../chores/background-chore.ts";
import { openCourier } from "../chores/deliver.ts";
import { type ForwarderParts, UsageForwarder } from "../chores/forward-usage.ts";
import { openAlertWatch } from "../chores/look-for-alerts.ts";
import { receiptFor } from "../chores/receipt-owners.ts";
import { sendToTarget, type TargetWays } from "../chores/send-to-target.ts";
import { tryUsageTarget } from "../chores/send-usage.ts";
import { TargetBook, usageTargets } from "../chores/target-book.ts";
import type { AlertDesk, MailDesk } from "../console-api/answer/desks.ts";
import { type AlertSettings, DEFAULT_ALERTS } from "../core/catalog/alert-settings.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { Clock } from "../core/clock.ts";
import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/store/ports.ts";
import { SmtpServer } from "../mail/smtp-server.ts";
import { writeTest } from "../mail/write-letter.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { addressProblem, GuardedClient } from "../webhooks/guarded-client.ts";
import { signingSecret } from "../webhooks/sign-webhook.ts";
import type { Timings } from "./timings.ts";

interface DeliveryParts {
  readonly store: Pick<Store, "users" | "accounts" | "deliveries">;
  readonly keys: SubKeys;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly timings: Pick<Timings, "alerts_every_ms" | "deliveries">;
}

/** Starts what sends letters and alerts. While nobody has a target and there is no mail server, it asks once a minute whether that is still so. */
export function openDeliveries(
  parts: DeliveryParts,
  configuration: Pick<Configuration, "mail" | "alerts" | "usage_events" | "currency">,
  opened: AsyncDisposableStack,
): { readonly mail?: MailDesk; readonly alerts: AlertDesk } {
  const { mail: settings, alerts = DEFAULT_ALERTS, usage_events, currency } = configuration;
  const { store, keys, log, metrics, clock, timings } = parts;
  const { users, accounts, deliveries } = store;
  const book = new TargetBook({ deliveries, keys, settings: alerts });
  const mail = settings && { settings, server: new SmtpServer(settings) };
  const ways = { keys, client: new GuardedClient(), now_ms: clock.now_ms, ...(mail && { mail }) };
  const letters = mail && { users, accounts, keys, ...mail };
  const courier = openCourier(
    { deliveries, book, ways, ...(letters && { letters }), log, metrics, ...timings.deliveries },
    opened,
  );
  const usage_targets = usage_events === undefined ? [] : usageTargets(keys, usage_events);
  const forwarder = openForwarder({ deliveries, targets: usage_targets, ways, log, metrics }, opened);
  const wake = (): void => {
    courier.wake();
    forwarder?.wake();
  };
  const setting = { backup_after_ms: alerts.backup_after_ms, currency };
  const watched = { deliveries, book, metrics, log, now_ms: clock.now_ms, wake, setting };
  openAlertWatch({ ...watched, every_ms: timings.alerts_every_ms }, opened);
  const desk = alertDesk({ book, usage_targets, ways, wake, keys, settings: alerts });
  if (mail === undefined) return { alerts: desk };
  const test = (to: string): Promise<void> =>
    mail.server.send(writeTest({ to, origin: mail.settings.origin }), newId("link"));
  const receipt: MailDesk["receipt"] = (account) => receiptFor(users, account, currency);
  return { mail: { limits: new MailLimits(users, keys), wake, test, receipt }, alerts: desk };
}

/** Nothing runs, and the database is asked nothing, where there are no targets. */
function openForwarder(parts: ForwarderParts, opened: AsyncDisposableStack): UsageForwarder | null {
  if (parts.targets.length === 0) return null;
  return begin(new UsageForwarder(parts), opened);
}

interface DeskParts {
  readonly book: TargetBook;
  readonly usage_targets: readonly DeliveryTarget[];
  readonly ways: TargetWays;
  readonly wake: () => void;
  readonly keys: SubKeys;
  readonly settings: AlertSettings;
}

function alertDesk({ book, usage_targets, ways, wake, keys, settings }: DeskParts): AlertDesk {
  return {
    targets: async () => [...usage_targets, ...(await book.read())],
    seal: (target_id, address) => sealAddress(keys, target_id, address),
    open: (record) => book.open(record),
    secretOf: (target_id) => signingSecret(keys.target_secret, target_id),
    problemOf: (url, account_id) => addressProblem(url, account_id === null || settings.private_addresses),
    sends_mail: ways.mail !== undefined,
    async test(target) {
      const event = { type: TEST_TYPE, timestamp: new Date(ways.now_ms()).toISOString(), data: {} };
      const message = { id: newId("dlv"), body: eventBody(event) };
      const is_usage = usage_targets.some(({ id }) => id === target.id);
      const tried = await (is_usage ? tryUsageTarget : sendToTarget)(ways, target, message);
      return tried.how === "failed" ? tried.reason : null;
    },
    wake() {
      book.changed();
      wake();
    },
  };
}
