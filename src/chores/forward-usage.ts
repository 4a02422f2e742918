import type { ClaimedDelivery } from "../core/deliveries/deliveries.ts";
import type { DeliveryStore } from "../core/deliveries/delivery-store.ts";
import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import type { UsageCut, UsagePortion } from "../core/deliveries/usage-events.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { BackgroundChore } from "./background-chore.ts";
import { waitAfter } from "./retry-waits.ts";
import type { StoppedWays } from "./send-to-target.ts";
import { sendUsage, type UsageWays } from "./send-usage.ts";

/** How often new charges and waiting deliveries are looked for. */
const EVERY_MS = 2_000;
/** Longer than a try takes. The deliveries of a sender that died are due again afterwards. */
const LEASE_MS = 2 * 60_000;
/** The most deliveries that are sent at a time; of one account, and to one storage or file, it is one. */
const LANES = 8;
/** How often others are looked for while deliveries are under way. */
const LOOK_MS = 500;
/** How many accounts are looked at in one step. */
const ACCOUNTS = 1000;
/** After a look at all accounts that found nothing, the rest is this many times as long as the look took. */
const RESTS = 50;

/** For how many deliveries that wait for another try it is remembered how much of each was sent. */
const REMEMBERED = 10_000;

/** How a target's deliveries are made. A storage wants few objects; webhooks go one by one, so one account's wait for no other's. */
const CUTS: Readonly<Record<UsageCut["channel"], Pick<UsageCut, "is_by_account" | "most_events" | "every_ms">>> = {
  webhook: { is_by_account: true, most_events: 100, every_ms: 5_000 },
  s3: { is_by_account: false, most_events: 5000, every_ms: 30_000 },
  file: { is_by_account: false, most_events: 5000, every_ms: 10_000 },
};

export interface ForwarderParts {
  readonly deliveries: DeliveryStore;
  readonly targets: readonly DeliveryTarget[];
  readonly ways: UsageWays & StoppedWays;
  readonly log: Pick<Log, "warn" | "error">;
  readonly metrics: Pick<Metrics, "deliveries">;
}

/**
 * Sends usage events to their targets (docs/rulings.md 234): of each account in the order of its ledger, each at least once, over crashes and several
 * nodes. What is to be sent lies in the ledger, so nothing that is away makes it forget or keeps a call waiting.
 */
export class UsageForwarder {
  readonly #parts: ForwarderParts;
  readonly #chore: BackgroundChore;
  readonly #looks: readonly TargetLook[];
  #is_begun = false;
  /** How much of deliveries that wait for another try this process has sent. */
  readonly #sent = new Map<string, number>();

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
    this.#looks = parts.targets.map((target) => new TargetLook(target, parts.deliveries));
    this.#chore = new BackgroundChore({
      every_ms: EVERY_MS,
      work: () => this.#forward(),
      onFailure: (thrown) => parts.log.error({ err: thrown }, "usage events could not be read: it is tried again"),
    });
  }

  /** Looks at once: what is charged from now on is told. */
  start(): void {
    this.#chore.start();
    void this.#chore.run();
  }

  /** A delivery is to be sent again: it need not wait for its turn. */
  wake(): void {
    void this.#chore.run();
  }

  /** Ends a try that is under way, after which another node has it, or this one when it starts again. */
  async stop(): Promise<void> {
    this.#parts.ways.client.stop();
    await this.#chore.stop();
  }

  async #forward(): Promise<void> {
    const { deliveries, targets } = this.#parts;
    if (!this.#is_begun) for (const { id } of targets) await deliveries.beginUsage(id);
    this.#is_begun = true;
    const running = new Set<Promise<unknown>>();
    try {
      for (;;) {
        this.#chore.throwIfStopped();
        const delivery = running.size < LANES ? await this.#claim() : null;
        if (delivery !== null) {
          const ended: Promise<unknown> = this.#try(delivery).finally(() => running.delete(ended));
          running.add(ended);
        } else if (!(await this.#putDown())) {
          if (running.size === 0) return;
          await Promise.race([...running, Bun.sleep(LOOK_MS)]);
        }
      }
    } finally {
      await Promise.allSettled(running);
    }
  }

  async #claim(): Promise<ClaimedDelivery | null> {
    const { deliveries, targets } = this.#parts;
    const ids = targets.map(({ id }) => id);
    const { delivery } = await deliveries.claimDelivery({ over: "usage", lease_ms: LEASE_MS, targets: ids });
    return delivery;
  }

  async #putDown(): Promise<boolean> {
    let made = 0;
    for (const look of this.#looks) made += await look.putDown();
    return made > 0;
  }

  /** Never rejects: a delivery whose outcome could not be written is tried again when its lease is over. */
  async #try(delivery: ClaimedDelivery): Promise<void> {
    try {
      await this.#send(delivery);
    } catch (thrown) {
      this.#parts.log.error(
        { err: thrown, delivery: delivery.id },
        "usage events could not be sent: it is tried again",
      );
    }
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const { deliveries, targets, ways, metrics, log } = this.#parts;
    const { id, recipient, attempts, created_ms, body } = delivery;
    const target = targets.find((each) => each.id === recipient);
    if (target === undefined || body === null) throw new Error(`the delivery ${id} has no target`);
    const events = await deliveries.readUsage((JSON.parse(body) as UsagePortion).parts);
    const about = { id, created_ms, events, sent: this.#sent.get(id) ?? 0 };
    const { tried, sent } = await sendUsage(ways, target, about);
    this.#sent.delete(id);
    if (tried !== null && tried.how !== "failed") {
      await deliveries.endDelivery(delivery, { status: tried.status, reason: null });
      metrics.deliveries.add(1, "usage", tried.how);
      return;
    }
    if (this.#sent.size < REMEMBERED) this.#sent.set(id, sent);
    if (tried === null) {
      await deliveries.delayDelivery(delivery, 0, { status: null, reason: null });
      return;
    }
    // Whatever a receiver answers, it is tried again: an operator can mend either end.
    const { status, reason } = tried;
    await deliveries.delayDelivery(delivery, waitAfter(attempts), { status, reason });
    const told = { delivery: id, kind: "usage", attempts, reason, target: recipient };
    log.warn(told, "usage events were not taken: it is tried again");
  }
}

/** Looks for accounts with something to tell a target, all of them in turn. */
class TargetLook {
  readonly #target: DeliveryTarget;
  readonly #deliveries: DeliveryStore;
  #after_id = "";
  #rests_until_ms = 0;

  constructor(target: DeliveryTarget, deliveries: DeliveryStore) {
    this.#target = target;
    this.#deliveries = deliveries;
  }

  /** Writes the next deliveries. Returns how many. */
  async putDown(): Promise<number> {
    const { id: target_id, channel } = this.#target;
    if (channel === "mail" || channel === "slack") return 0;
    const began_ms = performance.now();
    if (began_ms < this.#rests_until_ms) return 0;
    const after_id = this.#after_id;
    const accounts = await this.#deliveries.findUnsentUsage(target_id, after_id, ACCOUNTS);
    this.#after_id = accounts.length < ACCOUNTS ? "" : (accounts.at(-1) ?? "");
    if (accounts.length > 0) {
      const has_others = this.#after_id !== "";
      const made = await this.#deliveries.cutUsage({ target_id, channel, accounts, has_others, ...CUTS[channel] });
      if (made > 0) return made;
    }
    // Accounts that were left out are looked at after the rest.
    const now_ms = performance.now();
    this.#rests_until_ms = now_ms + Math.max(LOOK_MS, RESTS * (now_ms - began_ms));
    return 0;
  }
}
