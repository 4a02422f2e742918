import { RECEIPT_TYPE } from "../alerts/alert-types.ts";
import type { ClaimedDelivery, TryOutcome } from "../core/deliveries/deliveries.ts";
import type { DeliveryStore } from "../core/deliveries/delivery-store.ts";
import type { DeliveryTarget } from "../core/deliveries/targets.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { BackgroundChore, begin } from "./background-chore.ts";
import { waitAfter } from "./retry-waits.ts";
import { type LetterParts, sendLetter } from "./send-letter.ts";
import { type StoppedWays, sendToTarget, type TargetWays } from "./send-to-target.ts";
import type { TargetBook } from "./target-book.ts";
import type { Tried } from "./tried.ts";

/** Longer than a try takes. The deliveries of a sender that died are due again afterwards. */
const LEASE_MS = 2 * 60_000;
/** The most requests to targets that are under way at a time, in all and of one account: its slow receivers keep no others waiting. */
const LANES = 16;
/** How often others are looked for while requests are under way. */
const LOOK_MS = 1_000;
const LANES_OF_ACCOUNT = 4;

interface CourierParts {
  readonly deliveries: DeliveryStore;
  readonly book: Pick<TargetBook, "read" | "hasAny">;
  readonly ways: TargetWays & StoppedWays;
  /** Absent where the gateway sends no mail. */
  readonly letters?: LetterParts;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly metrics: Pick<Metrics, "deliveries">;
  /** How often it is looked for what another process put down, and for what waited. */
  readonly every_ms: number;
  /** How long a delivery waits after its first try; longer each time. */
  readonly first_wait_ms: number;
}

/**
 * Sends what waits, beside everything else (docs/rulings.md 185, 225): each at least once, also over crashes and several nodes. Mails go one after
 * the other, requests to targets side by side, one at a time to each.
 */
class Courier {
  readonly #parts: CourierParts;
  readonly #chores: readonly BackgroundChore[];
  /** How often this process has added a delivery. */
  #asked = 0;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    const { every_ms } = parts;
    const onFailure = (thrown: unknown): void =>
      parts.log.error({ err: thrown }, "deliveries could not be read: it is tried again");
    const http = new BackgroundChore({ every_ms, work: (chore) => this.#sendRequests(chore), onFailure });
    const mail = new BackgroundChore({ every_ms, work: (chore) => this.#sendMails(chore), onFailure });
    this.#chores = parts.letters === undefined ? [http] : [http, mail];
  }

  start(): void {
    for (const chore of this.#chores) chore.start();
  }

  /** This process has added a delivery, which need not wait for its turn. */
  wake(): void {
    this.#asked += 1;
    for (const chore of this.#chores) void chore.run();
  }

  /** Ends a try that is under way, after which another node has it, or this one when it starts again. */
  async stop(): Promise<void> {
    this.#parts.letters?.server.stop();
    this.#parts.ways.client.stop();
    await Promise.all(this.#chores.map((chore) => chore.stop()));
  }

  async #sendMails(chore: BackgroundChore): Promise<void> {
    for (;;) {
      chore.throwIfStopped();
      const asked = this.#asked;
      const delivery = await this.#claim("mail", []);
      if (delivery !== null) {
        const targets = delivery.kind === "alert" ? await this.#parts.book.read() : [];
        if (!(await this.#try(delivery, targets))) return;
      } else if (asked === this.#asked) return;
    }
  }

  async #sendRequests(chore: BackgroundChore): Promise<void> {
    if (!(await this.#parts.book.hasAny())) return;
    const running = new Map<string, Promise<unknown>>();
    try {
      for (;;) {
        chore.throwIfStopped();
        const asked = this.#asked;
        const targets = running.size < LANES ? await this.#parts.book.read() : [];
        const delivery = running.size < LANES ? await this.#claim("http", busyOf(targets, running)) : null;
        if (delivery !== null) {
          const ended = this.#try(delivery, targets).finally(() => running.delete(delivery.recipient));
          running.set(delivery.recipient, ended);
        } else if (running.size > 0) await Promise.race([...running.values(), Bun.sleep(LOOK_MS)]);
        else if (asked === this.#asked) return;
      }
    } finally {
      await Promise.allSettled(running.values());
    }
  }

  async #claim(over: "mail" | "http", busy: readonly string[]): Promise<ClaimedDelivery | null> {
    const { deliveries, metrics, log } = this.#parts;
    const { delivery, given_up } = await deliveries.claimDelivery({ over, lease_ms: LEASE_MS, busy });
    if (given_up > 0) {
      metrics.deliveries.add(given_up, "any", "given_up");
      log.warn({ deliveries: given_up }, "deliveries were given up: nobody took them in time");
    }
    return delivery;
  }

  /** Whether others on the same way are to be tried now: not where the mail server itself cannot be used. */
  async #try(delivery: ClaimedDelivery, targets: readonly DeliveryTarget[]): Promise<boolean> {
    const tried = await this.#send(delivery, targets);
    const { deliveries, metrics, log } = this.#parts;
    const { id, kind, attempts } = delivery;
    if (tried.how !== "failed") {
      await deliveries.endDelivery(delivery, { status: tried.status, reason: null });
      if (kind === "alert") await deliveries.reopenTarget(delivery.recipient);
      metrics.deliveries.add(1, kind, tried.how);
      return true;
    }
    const { status, reason, is_final, is_of_server, is_gone } = tried;
    const outcome: TryOutcome = { status, reason };
    const told = { delivery: id, kind, attempts, reason, ...(kind === "alert" && { target: delivery.recipient }) };
    if (is_final) {
      await deliveries.endDelivery(delivery, outcome);
      if (is_gone) await deliveries.endTarget(delivery.recipient, reason);
      metrics.deliveries.add(1, kind, "refused");
      log.warn(told, is_gone ? "a target is gone: it hears no more" : "a delivery was refused for good");
      return true;
    }
    const waits = await deliveries.delayDelivery(delivery, waitAfter(attempts, this.#parts.first_wait_ms), outcome);
    if (!waits) metrics.deliveries.add(1, kind, "given_up");
    log.warn(told, waits ? "a delivery could not be sent: it is tried again" : "a delivery was given up");
    return !is_of_server;
  }

  async #send(delivery: ClaimedDelivery, targets: readonly DeliveryTarget[]): Promise<Tried> {
    const { letters, ways } = this.#parts;
    if (delivery.kind !== "alert") {
      return letters === undefined ? { how: "not_needed", status: null } : await sendLetter(letters, delivery);
    }
    const target = targets.find(({ id }) => id === delivery.recipient) ?? (await ownerOf(letters?.users, delivery));
    if (target !== undefined) return await sendToTarget(ways, target, { id: delivery.id, body: delivery.body ?? "" });
    const reason = "the target is named no more";
    return { how: "failed", status: null, reason, is_final: true, is_of_server: false, is_gone: false };
  }
}

/** The target of a receipt: an owner of the account. Undefined for other deliveries, and for a user who is no owner any more. */
async function ownerOf(
  users: LetterParts["users"] | undefined,
  { type, recipient, account_id }: ClaimedDelivery,
): Promise<DeliveryTarget | undefined> {
  if (users === undefined || type !== RECEIPT_TYPE || account_id === null) return undefined;
  const member = await users.findMember(account_id, recipient);
  if (member === null || member.role !== "owner" || member.status !== "active") return undefined;
  return {
    ...{ id: recipient, account_id, channel: "mail", address: member.email, types: null, may_be_private: false },
    ...{ is_of_file: false, created_ms: null, ended_ms: null, ended_reason: null },
  };
}

/** The targets that are to get nothing now: those that are being sent to, and those of accounts that have as many lanes as they may. */
function busyOf(targets: readonly DeliveryTarget[], running: ReadonlyMap<string, unknown>): string[] {
  const lanes = new Map<string, number>();
  for (const { id, account_id } of targets) {
    if (account_id !== null && running.has(id)) lanes.set(account_id, (lanes.get(account_id) ?? 0) + 1);
  }
  const crowded = targets.filter(
    ({ account_id }) => account_id !== null && (lanes.get(account_id) ?? 0) >= LANES_OF_ACCOUNT,
  );
  return [...new Set([...running.keys(), ...crowded.map(({ id }) => id)])];
}

export function openCourier(parts: CourierParts, opened: AsyncDisposableStack): Courier {
  return begin(new Courier(parts), opened);
}
