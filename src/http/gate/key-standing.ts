import type { AdmitResult, SharedBy } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import { LocalRate } from "../../limits/local-rate.ts";
import { BodyRoom } from "../../wire/server/body-room.ts";

type RateLimited = Extract<AdmitResult, { outcome: "rate_limited" }>;

/**
 * A node's knowledge of a key between its requests (docs/adr/0028-before-money.md): enough to refuse without the books what
 * they would refuse. It is a belief: the books decide over every request that passes.
 */
export class KeyStanding {
  /** The key's requests per minute, as this node believes them to be. */
  readonly requests = new LocalRate();
  /** The rate of the endpoints that only read. Nobody else counts it. */
  readonly reads = new LocalRate();
  readonly bodies: BodyRoom;
  /** Requests that were let in here and whose hold, where they got one, has not ended. */
  running = 0;
  /** Until when the requests per minute of the key's project or account have no room, and under which limit: the books have said so. */
  shared_full_until_ms = 0;
  shared_full_of: SharedBy = "account";
  shared_rpm = 0;
  /** Whether the wallet was not empty when somebody last looked; false while nobody has looked. */
  has_money = false;

  constructor(most_body_bytes: number) {
    this.bodies = new BodyRoom("key", most_body_bytes);
  }

  /** Whether no request needs it at the moment. */
  get isIdle(): boolean {
    return this.running === 0 && this.bodies.used_bytes === 0;
  }

  /**
   * Takes in what the ledger decided over a request that arrived at `arrived_ms`. `is_own_rate`: the rate that it told is the
   * key's; where the project or the account has a limit as well, it tells the tightest.
   */
  learn(result: AdmitResult, arrived_ms: number, is_own_rate: boolean): void {
    if (result.outcome === "admitted") this.has_money = true;
    else if (result.outcome === "insufficient_balance") this.has_money = result.balance_micro > ZERO;
    else if (result.outcome === "rate_limited" && result.limit === "requests") this.#foundFull(result, arrived_ms);
    if (!is_own_rate || !("rate" in result)) return;
    const { requests } = result.rate;
    // Of a limit that was changed meanwhile nothing is learnt.
    if (requests !== null && requests.limit === this.requests.limit) this.requests.learn(requests, arrived_ms);
  }

  #foundFull({ of, retry_after_ms, rate }: RateLimited, arrived_ms: number): void {
    // The key's bucket that has no room has taken nothing.
    if (of === undefined) return this.requests.giveBack();
    this.shared_full_until_ms = arrived_ms + retry_after_ms;
    this.shared_full_of = of;
    this.shared_rpm = rate.requests?.limit ?? 0;
  }
}

/** The most standings: as many as the keys that the authenticator remembers. */
const MOST_STANDINGS = 10_000;
/** How many standings are looked at to find one that may go. */
const MOST_LOOKED_AT = 16;

/** The standings of the keys that were used last, each made when its key is first used. */
export class KeyStandings {
  readonly #standings = new Map<string, KeyStanding>();

  /** `most_body_bytes` is for a standing that is new. */
  of(key_id: string, most_body_bytes: number): KeyStanding {
    return this.#standings.get(key_id) ?? this.#add(key_id, most_body_bytes);
  }

  #add(key_id: string, most_body_bytes: number): KeyStanding {
    const standing = new KeyStanding(most_body_bytes);
    if (this.#standings.size >= MOST_STANDINGS) this.#dropOne();
    this.#standings.set(key_id, standing);
    return standing;
  }

  /** Drops the oldest that is idle. Those that are in use become the youngest: a Map keeps the order of insertion. */
  #dropOne(): void {
    let looked_at = 0;
    for (const [key_id, standing] of this.#standings) {
      this.#standings.delete(key_id);
      if (standing.isIdle) return;
      this.#standings.set(key_id, standing);
      looked_at += 1;
      if (looked_at === MOST_LOOKED_AT) return;
    }
  }
}
