import type { Vendor, VendorLimits } from "../core/catalog/catalog.ts";
import { MS_PER_DAY } from "../core/clock.ts";
import type { VendorSpending } from "../core/operations/vendor-spending.ts";
import { UTC } from "../core/time-zone.ts";

/**
 * Limits on the use of vendors and of their credentials (docs/rulings.md 178). Spending counts over all nodes, as far as they have shared it; rates
 * and requests in flight are counted by each process for itself, which has its share of the limit.
 */

const SLOT_MS = 1000;
const SLOTS = 60;
/** When to look again for a place among the requests in flight: nobody knows when one ends. */
const CONCURRENT_WAIT_MS = 1000;

type LimitName = "spend" | "rpm" | "tpm" | "concurrent";

/** How much of a limit is used. Spending is in micro units, of today. */
interface LimitUse {
  readonly limit: LimitName;
  readonly allowed: bigint;
  /** What this process may use of it. */
  readonly share: bigint;
  readonly used: bigint;
}

/** A request's place in the limits, which is given back once. */
export interface LimitReservation {
  end(): void;
}

interface LimitSlot {
  interval: number;
  requests: number;
  tokens: number;
}

class Use {
  in_flight = 0;
  reserved_tokens = 0;
  /** What all nodes have spent today, as it was last read. */
  shared_micro = 0n;
  /** What this process has spent today and not yet shared. */
  own_micro = 0n;
  readonly #slots: LimitSlot[] = [];

  slot(now_ms: number): LimitSlot {
    const interval = Math.floor(now_ms / SLOT_MS);
    let slot = this.#slots[interval % SLOTS];
    if (slot === undefined || slot.interval !== interval) {
      slot = { interval, requests: 0, tokens: 0 };
      this.#slots[interval % SLOTS] = slot;
    }
    return slot;
  }

  /** The count of the last minute. */
  sum(what: "requests" | "tokens", now_ms: number): number {
    const interval = Math.floor(now_ms / SLOT_MS);
    return this.#slots.reduce((sum, slot) => (interval - slot.interval < SLOTS ? sum + slot[what] : sum), 0);
  }

  /** Milliseconds until `needed` fits into `allowed` again, as far as what was counted so far leaves the minute. */
  waitMs(what: "requests" | "tokens", needed: number, allowed: number, now_ms: number): number {
    const interval = Math.floor(now_ms / SLOT_MS);
    const slots = this.#slots
      .filter((slot) => interval - slot.interval < SLOTS)
      .toSorted((one, other) => one.interval - other.interval);
    let rest = this.sum(what, now_ms) + (what === "tokens" ? this.reserved_tokens : 0);
    for (const slot of slots) {
      if (fits(rest, needed, allowed)) break;
      rest -= slot[what];
      if (fits(rest, needed, allowed)) return Math.max(0, (slot.interval + SLOTS) * SLOT_MS - now_ms);
    }
    return fits(rest, needed, allowed) ? 0 : CONCURRENT_WAIT_MS;
  }
}

/** A request that is larger than the whole limit passes where nothing else is counted. */
function fits(used: number, needed: number, allowed: number): boolean {
  return used === 0 || used + needed <= allowed;
}

interface Holder {
  readonly vendor: string;
  /** Empty for the vendor itself. */
  readonly credential: string;
  readonly limits: VendorLimits;
}

type Limited = Pick<Vendor, "id" | "limits">;
type LimitedCredential = { readonly name: string; readonly limits?: VendorLimits | undefined };

export class VendorLimitBook {
  readonly #uses = new Map<string, Use>();
  readonly #now_ms: () => number;
  #day: number;
  /** How many processes share the rates. */
  #nodes = 1;

  /** `now_ms` is the wall clock, by which days begin. */
  constructor(now_ms: () => number) {
    this.#now_ms = now_ms;
    this.#day = UTC.dayAt(now_ms());
  }

  /** Takes a place in every limit of a vendor and its credential; or says which one is reached. `tokens`: at most so many are used. */
  take(vendor: Limited, credential: LimitedCredential | undefined, tokens: number): LimitReservation | LimitName {
    const now_ms = this.#now_ms();
    const holders = holdersOf(vendor, credential);
    for (const holder of holders) {
      const reached = this.#reached(holder, tokens, now_ms);
      if (reached !== null) return reached.limit;
    }
    const uses = holders.map((holder) => this.#use(keyOf(holder)));
    for (const use of uses) {
      use.in_flight += 1;
      use.reserved_tokens += tokens;
      use.slot(now_ms).requests += 1;
    }
    let has_ended = false;
    return {
      end: () => {
        if (has_ended) return;
        has_ended = true;
        for (const use of uses) {
          use.in_flight -= 1;
          use.reserved_tokens -= tokens;
        }
      },
    };
  }

  /** Milliseconds until the limits may have a place; 0 where they have one now. */
  waitMs(vendor: Limited, credential: LimitedCredential | undefined, tokens: number): number {
    const now_ms = this.#now_ms();
    const waits = holdersOf(vendor, credential).map((holder) => this.#reached(holder, tokens, now_ms)?.wait_ms ?? 0);
    return Math.max(0, ...waits);
  }

  /** Counts what an answer took. */
  used(vendor: Limited, credential: LimitedCredential | undefined, tokens: number, cost_micro: bigint): void {
    const now_ms = this.#now_ms();
    this.#begin(now_ms);
    for (const holder of holdersOf(vendor, credential)) {
      const use = this.#use(keyOf(holder));
      use.slot(now_ms).tokens += tokens;
      if (holder.limits.spend_micro !== undefined) use.own_micro += cost_micro;
    }
  }

  uses(vendor: string, credential: string, limits: VendorLimits): LimitUse[] {
    const now_ms = this.#now_ms();
    this.#begin(now_ms);
    const use = this.#uses.get(keyOf({ vendor, credential })) ?? new Use();
    const { spend_micro, rpm, tpm, concurrent } = limits;
    const all: (LimitUse | null)[] = [
      spend_micro === undefined
        ? null
        : { limit: "spend", allowed: spend_micro, share: spend_micro, used: use.shared_micro + use.own_micro },
      this.#counted("rpm", rpm, use.sum("requests", now_ms)),
      this.#counted("tpm", tpm, use.sum("tokens", now_ms) + use.reserved_tokens),
      this.#counted("concurrent", concurrent, use.in_flight),
    ];
    return all.filter((each) => each !== null);
  }

  /** What this process has spent and not yet shared; it counts as shared from now on. */
  takeUnshared(): VendorSpending[] {
    this.#begin(this.#now_ms());
    const taken: VendorSpending[] = [];
    for (const [key, use] of this.#uses) {
      if (use.own_micro === 0n) continue;
      const [vendor = "", credential = ""] = key.split("\n");
      taken.push({ day: this.#day, vendor, credential, spent_micro: use.own_micro });
      use.shared_micro += use.own_micro;
      use.own_micro = 0n;
    }
    return taken;
  }

  /** Takes back spending that could not be shared, so that it is shared later. */
  putBack(spending: readonly VendorSpending[]): void {
    for (const each of spending) {
      const use = this.#uses.get(keyOf(each));
      if (use === undefined || each.day !== this.#day) continue;
      use.own_micro += each.spent_micro;
      use.shared_micro -= each.spent_micro;
    }
  }

  /** What all nodes have spent on a day, and how many they are. */
  share(all: readonly VendorSpending[], nodes: number): void {
    this.#nodes = Math.max(1, nodes);
    this.#begin(this.#now_ms());
    for (const each of all) if (each.day === this.#day) this.#use(keyOf(each)).shared_micro = each.spent_micro;
  }

  #reached(
    holder: Holder,
    tokens: number,
    now_ms: number,
  ): { readonly limit: LimitName; readonly wait_ms: number } | null {
    this.#begin(now_ms);
    const use = this.#use(keyOf(holder));
    const { limits } = holder;
    const { spend_micro } = limits;
    if (spend_micro !== undefined && use.shared_micro + use.own_micro >= spend_micro)
      return { limit: "spend", wait_ms: (this.#day + 1) * MS_PER_DAY - now_ms };
    const rpm = this.#share(limits.rpm);
    if (rpm !== undefined && use.sum("requests", now_ms) >= rpm)
      return { limit: "rpm", wait_ms: use.waitMs("requests", 1, rpm, now_ms) };
    const tpm = this.#share(limits.tpm);
    if (tpm !== undefined && !fits(use.sum("tokens", now_ms) + use.reserved_tokens, tokens, tpm))
      return { limit: "tpm", wait_ms: use.waitMs("tokens", tokens, tpm, now_ms) };
    const concurrent = this.#share(limits.concurrent);
    if (concurrent !== undefined && use.in_flight >= concurrent)
      return { limit: "concurrent", wait_ms: CONCURRENT_WAIT_MS };
    return null;
  }

  #counted(limit: LimitName, allowed: number | undefined, used: number): LimitUse | null {
    const share = this.#share(allowed);
    if (allowed === undefined || share === undefined) return null;
    return { limit, allowed: BigInt(allowed), share: BigInt(share), used: BigInt(used) };
  }

  #share(limit: number | undefined): number | undefined {
    return limit === undefined ? undefined : Math.max(1, Math.floor(limit / this.#nodes));
  }

  #use(key: string): Use {
    let use = this.#uses.get(key);
    if (use === undefined) {
      use = new Use();
      this.#uses.set(key, use);
    }
    return use;
  }

  /** A new day begins with nothing spent. */
  #begin(now_ms: number): void {
    const day = UTC.dayAt(now_ms);
    if (day === this.#day) return;
    this.#day = day;
    for (const use of this.#uses.values()) use.shared_micro = use.own_micro = 0n;
  }
}

function holdersOf({ id, limits }: Limited, credential: LimitedCredential | undefined): Holder[] {
  const own = limits === undefined ? [] : [{ vendor: id, credential: "", limits }];
  if (credential?.limits === undefined) return own;
  return [...own, { vendor: id, credential: credential.name, limits: credential.limits }];
}

function keyOf({ vendor, credential }: Pick<Holder, "vendor" | "credential">): string {
  return `${vendor}\n${credential}`;
}
