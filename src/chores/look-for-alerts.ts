import { type AlertSetting, findAlerts, unpricedFinding } from "../alerts/find-alerts.ts";
import type { AlertListener } from "../core/deliveries/alerts.ts";
import type { DeliveryStore } from "../core/deliveries/delivery-store.ts";
import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { BackgroundChore, begin } from "./background-chore.ts";
import type { TargetBook } from "./target-book.ts";

interface AlertParts {
  readonly deliveries: DeliveryStore;
  readonly book: Pick<TargetBook, "read" | "hasAny">;
  readonly metrics: Pick<Metrics, "unpriced">;
  readonly log: Pick<Log, "error">;
  /** The wall clock. */
  readonly now_ms: () => number;
  /** Something was put down to be sent. */
  readonly wake: () => void;
  readonly setting: AlertSetting;
  /** How often it is looked what is to be told. It is told within a minute (docs/rulings.md 185). */
  readonly every_ms: number;
}

/** Looks for alerts of the gateway and of accounts that have targets, and writes the deliveries that tell of them. One node of a database at a time does so. */
export function openAlertWatch(parts: AlertParts, opened: AsyncDisposableStack): void {
  // How much usage without a price this process has counted of each model when it last looked.
  let unpriced: ReadonlyMap<string, number> = unpricedOf(parts.metrics);
  const { deliveries, book, wake, every_ms, log } = parts;
  const watch = new BackgroundChore({
    every_ms,
    async work(chore) {
      if (!(await book.hasAny())) return;
      const targets = (await book.read()).filter(({ ended_ms }) => ended_ms === null);
      if (targets.length === 0) return;
      const now = unpricedOf(parts.metrics);
      let told = await tellUnpriced(parts, targets, [unpriced, now]);
      unpriced = now;
      if (await deliveries.claimAlertLook(every_ms / 2)) told += await tellAll(parts, targets, chore);
      if (told > 0) wake();
    },
    onFailure: (thrown) => log.error({ err: thrown }, "it could not be looked for alerts: it is tried again"),
  });
  begin(watch, opened);
}

async function tellAll(
  { deliveries, setting }: AlertParts,
  targets: readonly DeliveryTarget[],
  chore: BackgroundChore,
): Promise<number> {
  const scopes = Map.groupBy(targets, ({ account_id }) => account_id);
  const accounts = [...scopes.keys()].filter((id) => id !== null);
  const open = await deliveries.openAlerts();
  const facts = await deliveries.readAlertFacts(scopes.has(null) ? null : accounts, open);
  const found = findAlerts(facts, setting, open);
  let told = 0;
  for (const [account_id, heard] of scopes) {
    chore.throwIfStopped();
    const findings = account_id === null ? found : found.filter((each) => each.account_id === account_id);
    told += await deliveries.lookAtAlerts({ account_id, findings, is_whole: true, listeners: listenersOf(heard) });
  }
  return told;
}

/** Usage without a price is known to the node alone that settled it, and only the operator can mend it. */
async function tellUnpriced(
  { deliveries, now_ms }: AlertParts,
  targets: readonly DeliveryTarget[],
  [before, now]: readonly [before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>],
): Promise<number> {
  const grown = [...now].filter(([model, count]) => count > (before.get(model) ?? 0));
  const listeners = listenersOf(targets.filter(({ account_id }) => account_id === null));
  const findings = grown.map(([model]) => unpricedFinding(model, now_ms()));
  if (findings.length === 0 || listeners.length === 0) return 0;
  return await deliveries.lookAtAlerts({ account_id: null, findings, is_whole: false, listeners });
}

function listenersOf(targets: readonly DeliveryTarget[]): AlertListener[] {
  return targets.map(({ id, channel, types }) => ({ target_id: id, channel, types }));
}

function unpricedOf({ unpriced }: Pick<Metrics, "unpriced">): Map<string, number> {
  const counted = new Map<string, number>();
  for (const point of unpriced.read().points) {
    if (!Array.isArray(point)) continue;
    const [labels, count] = point;
    counted.set(labels.model ?? "", count);
  }
  return counted;
}
