import type { AdmitResult, SharedBy } from "../../core/ledger/ledger.ts";
import { ZERO } from "../../core/money/money.ts";
import { LocalRate } from "../../limits/local-rate.ts";
import { BodyRoom } from "../../wire/server/body-room.ts";

type RateLimitedResult = Extract<AdmitResult, { outcome: "rate_limited" }>;

/**
 * A node's knowledge of a key between its requests (docs/adr/0028-before-money.md): enough to refuse without the books the
 * requests that they would refuse. It may be out of date: the books decide over every request that passes.
 */
export class LocalKeyState {
  /** The key's requests per minute, as this node believes them to be. */
  readonly requests = new LocalRate();
  /** The rate of the endpoints that only read. Nobody else counts it. */
  readonly reads = new LocalRate();
  readonly bodies: BodyRoom;
  /** Requests that were let in here and whose hold, where they got one, has not ended. */
  running = 0;
  /** Until when the books refuse requests under the limit of the key's project or account, and that limit. */
  shared_full_until_ms = 0;
  shared_full_of: SharedBy = "account";
  shared_rpm = 0;
  /** Whether the wallet had money when this node last read its balance; false before the first reading. */
  has_money = false;

  constructor(most_body_bytes: number) {
    this.bodies = new BodyRoom("key", most_body_bytes);
  }

  /** Whether no request needs it at the moment. */
  get isIdle(): boolean {
    return this.running === 0 && this.bodies.used_bytes === 0;
  }

  /**
   * Updates the state by the ledger's decision over a request that arrived at `arrived_ms`. `is_own_rate`: the result's rate is the
   * key's; where the project or the account has a limit as well, it is the tightest of them.
   */
  learn(result: AdmitResult, arrived_ms: number, is_own_rate: boolean): void {
    if (result.outcome === "admitted") this.has_money = true;
    else if (result.outcome === "insufficient_balance") this.has_money = result.balance_micro > ZERO;
    else if (result.outcome === "rate_limited" && result.limit === "requests") this.#foundFull(result, arrived_ms);
    if (!is_own_rate || !("rate" in result)) return;
    const { requests } = result.rate;
    // A rate under another limit than the key's present one says nothing about the present one.
    if (requests !== null && requests.limit === this.requests.limit) this.requests.learn(requests, arrived_ms);
  }

  #foundFull({ of, rule, retry_after_ms, rate }: RateLimitedResult, arrived_ms: number): void {
    // Other models or tags of the key may have room.
    if (rule !== undefined) return;
    // A full bucket of the key has counted nothing for the refused request.
    if (of === undefined) return this.requests.giveBack();
    this.shared_full_until_ms = arrived_ms + retry_after_ms;
    this.shared_full_of = of;
    this.shared_rpm = rate.requests?.limit ?? 0;
  }
}

/** As many as the keys that the authenticator remembers. */
const MOST_KEY_STATES = 10_000;
/** How many states are examined to find an idle one. */
const MOST_LOOKED_AT = 16;

/** The states of the keys that were used last, each made when its key is first used. */
export class LocalKeyStates {
  readonly #key_states = new Map<string, LocalKeyState>();

  /** `most_body_bytes` is for a state that is new. */
  of(key_id: string, most_body_bytes: number): LocalKeyState {
    return this.#key_states.get(key_id) ?? this.#add(key_id, most_body_bytes);
  }

  #add(key_id: string, most_body_bytes: number): LocalKeyState {
    const key_state = new LocalKeyState(most_body_bytes);
    if (this.#key_states.size >= MOST_KEY_STATES) this.#dropOne();
    this.#key_states.set(key_id, key_state);
    return key_state;
  }

  /** Drops the oldest idle state. Busy ones become the youngest: a Map keeps the order of insertion. */
  #dropOne(): void {
    let looked_at = 0;
    for (const [key_id, key_state] of this.#key_states) {
      this.#key_states.delete(key_id);
      if (key_state.isIdle) return;
      this.#key_states.set(key_id, key_state);
      looked_at += 1;
      if (looked_at === MOST_LOOKED_AT) return;
    }
  }
}
