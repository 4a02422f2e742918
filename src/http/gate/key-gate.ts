import type { Configuration, Model } from "../../core/catalog/catalog.ts";
import type { GatewayError } from "../../core/errors.ts";
import type { LimitState, SharedBy } from "../../core/ledger/ledger.ts";
import { type Micro, ZERO } from "../../core/money/money.ts";
import type { ClassPrices, Price } from "../../core/money/price.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { AccountStore } from "../../core/store/ports.ts";
import { ALONE, type WorkerGroup } from "../../core/worker-group.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { type RefusalFacts, refusal } from "../../pipeline/admit/refusal.ts";
import type { BilledCall } from "../../pipeline/call/call.ts";
import { NoKeptRoom } from "../../pipeline/large-bodies/kept-room.ts";
import { NoBodyRoom } from "../../wire/server/body-room.ts";
import { keyBodyBytes } from "./body-bounds.ts";
import { type LocalKeyState, LocalKeyStates } from "./local-key-state.ts";
import { type RateHolder, ReadGate } from "./read-gate.ts";

/** What the gate asks the database about wallets, where it does not know that there is money. */
class Wallets {
  readonly #accounts: Pick<AccountStore, "findAccount" | "findAutoTopUp" | "hasIdempotencyKey">;
  /** Balances that are being read, by account, so that concurrent calls share one reading. */
  readonly #balances = new Map<string, Promise<Micro>>();

  constructor(accounts: Pick<AccountStore, "findAccount" | "findAutoTopUp" | "hasIdempotencyKey">) {
    this.#accounts = accounts;
  }

  async balanceOf(account_id: string): Promise<Micro> {
    const running = this.#balances.get(account_id);
    if (running !== undefined) return await running;
    const reading = this.#accounts.findAccount(account_id).then((account) => account?.balance_micro ?? ZERO);
    this.#balances.set(account_id, reading);
    try {
      return await reading;
    } finally {
      this.#balances.delete(account_id);
    }
  }

  /** Whether a request may succeed though its wallet is empty: it may be a repeat, or the account's rule credits it. */
  async mayRunEmpty({
    key: { account_id },
    idempotency_key,
  }: Pick<BilledCall, "key" | "idempotency_key">): Promise<boolean> {
    if (idempotency_key !== null && (await this.#accounts.hasIdempotencyKey(account_id, idempotency_key))) return true;
    return (await this.#accounts.findAutoTopUp(account_id)) !== null;
  }
}

/** The result for each configuration. A changed credential replaces the configuration, so each is examined once. */
const known = new WeakMap<Configuration, boolean>();

/** Whether any model is free: an account without money may then call it, and the body that names the model has not been read yet. */
function hasFreeModel(configuration: Configuration): boolean {
  const found = known.get(configuration);
  if (found !== undefined) return found;
  const has_free = configuration.models.values().some(isFree);
  known.set(configuration, has_free);
  return has_free;
}

function isFree({ prices }: Model): boolean {
  return prices.some((price: Price) => [price, ...price.tiers].some(costsNothing));
}

function costsNothing({ input_micro_per_mtok, output_micro_per_mtok }: ClassPrices): boolean {
  return input_micro_per_mtok === 0 && output_micro_per_mtok === 0;
}

/** The ledger's `retry-after` for requests in flight: nobody can predict when a running request ends. */
const CONCURRENCY_RETRY_MS = 1000;
const MINUTE_MS = 60_000;

/** A call of a billed endpoint, as far as the gate judges and marks it. */
export interface GatedCall extends Pick<BilledCall, "key" | "arrived_ms" | "signal" | "idempotency_key">, RateHolder {
  /** Reads the key again, where it may be outdated. Rejects with the 401 for a key that is no longer accepted. */
  renewKey(): Promise<void>;
  /** The id of the resolved model; null where it was refused before. */
  readonly model: string | null;
  /** Whether the ledger has admitted or refused the request. */
  readonly is_decided: boolean;
  /** Whether the key was read from the database for this request. */
  readonly is_key_fresh: boolean;
  /** This node's state of the key; null until the call was let in or refused by it. */
  readonly key_state: LocalKeyState | null;
  /** The key's requests per minute where the call was taken from them, null where it was not. */
  readonly taken_rpm: number | null;
  /** Admits the call: it is counted in the key's rate, and as in flight until its hold has ended. */
  enters(key_state: LocalKeyState, rpm: number): void;
  /** Refuses the call, which is counted in the key's rate all the same; `rpm` is null where the rate has no room. */
  refusedBy(key_state: LocalKeyState, rpm: number | null): void;
}

export interface GateDeps {
  readonly pipeline: { readonly configuration: Configuration; readonly ledger: Pick<Ledger, "countRefusal"> };
  readonly accounts: Pick<AccountStore, "findAccount" | "findAutoTopUp" | "hasIdempotencyKey">;
  readonly metrics: Pick<Metrics, "refusals">;
  /** Absent where the gateway is one process. */
  readonly workers?: WorkerGroup;
}

/**
 * Judges requests by their heads, before their bodies are read (docs/rulings.md 141, docs/adr/0028-before-money.md). It refuses requests
 * that the ledger would refuse whatever their bodies contain: too many a minute or in flight, and an empty wallet. For most requests a few
 * numbers of the key's local state suffice; only in doubt is the database read.
 */
export class KeyGate {
  readonly #deps: GateDeps;
  readonly #workers: WorkerGroup;
  readonly #key_states = new LocalKeyStates();
  readonly #wallets: Wallets;
  /** The rate of the endpoints that only read. */
  readonly reads: ReadGate;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#workers = deps.workers ?? ALONE;
    this.#wallets = new Wallets(deps.accounts);
    this.reads = new ReadGate({
      rateOf: (key) => this.keyStateOf(key).reads,
      usualRpm: () => this.#limits.default_key.rpm,
      refusals: deps.metrics.refusals,
      workers: this.#workers,
    });
  }

  keyStateOf({ id }: Pick<KeyRecord, "id">): LocalKeyState {
    return this.#key_states.of(id, keyBodyBytes(this.#limits.body_bytes, this.#workers.processes));
  }

  /**
   * Admits a call whose key is known, and counts it in the key's rate. Null where it is admitted at once; rejects with the client's 429, 402
   * or 401.
   */
  enter(call: GatedCall): Promise<void> | null {
    const { key } = call;
    const key_state = this.keyStateOf(key);
    const { default_key } = this.#limits;
    const rpm = key.rpm ?? default_key.rpm;
    const is_well =
      key_state.has_money &&
      key_state.running < (key.concurrent ?? default_key.concurrent) &&
      call.arrived_ms >= key_state.shared_full_until_ms &&
      key_state.requests.wait_ms(rpm, call.arrived_ms) === 0;
    if (!is_well) return this.#lookClosely(call);
    call.enters(key_state, rpm);
    return null;
  }

  /**
   * Counts a call in its key's rate that was refused before the ledger decided over it. A failure of the gateway or the database is not
   * counted.
   */
  countRefusal(call: GatedCall, error: GatewayError): void {
    this.noteRefusal(error);
    const { key_state, taken_rpm: rpm } = call;
    if (key_state === null || call.is_decided) return;
    const { status } = error.row;
    const is_counted =
      call.signal.aborted ||
      error instanceof NoBodyRoom ||
      error instanceof NoKeptRoom ||
      (status < 500 && status !== 401);
    if (is_counted) {
      const { model } = call;
      const { id: key_id, account_id } = call.key;
      this.#deps.pipeline.ledger.countRefusal({ op: "count-refusal", account_id, key_id, model, rpm });
    } else if (rpm !== null) key_state.requests.giveBack();
  }

  /** Counts in the metrics a refusal for its key, or for lack of room for its body. */
  noteRefusal(error: GatewayError): void {
    if (error instanceof NoBodyRoom)
      this.#deps.metrics.refusals.add(1, error.bound === "key" ? "key_bodies" : "all_bodies");
    else if (error instanceof NoKeptRoom) this.#deps.metrics.refusals.add(1, "large_bodies");
    else if (error.row.status === 401) this.#deps.metrics.refusals.add(1, "key");
  }

  get #limits(): Configuration["limits"] {
    return this.#deps.pipeline.configuration.limits;
  }

  /** Judges a call by the key's current record and, where the wallet may be empty, by its balance. */
  async #lookClosely(call: GatedCall): Promise<void> {
    // Its limits may have been raised since it was read.
    if (!call.is_key_fresh) await call.renewKey();
    const { key } = call;
    const key_state = this.keyStateOf(key);
    const rpm = key.rpm ?? this.#limits.default_key.rpm;
    this.#judgeRates(call, key_state, rpm);
    if (!key_state.has_money) {
      const balance_micro = await this.#wallets.balanceOf(key.account_id);
      if (balance_micro > ZERO || hasFreeModel(this.#deps.pipeline.configuration)) key_state.has_money = true;
      else if (!(await this.#wallets.mayRunEmpty(call))) throw this.#emptyWallet(call, key_state, rpm, balance_micro);
      // Other requests of the key may have been admitted meanwhile.
      this.#judgeRates(call, key_state, rpm);
    }
    call.enters(key_state, rpm);
  }

  /** Throws the 429 where the key, its project or its account has no room for a request, or the key for one more at a time. */
  #judgeRates(call: GatedCall, key_state: LocalKeyState, rpm: number): void {
    const { arrived_ms, key } = call;
    const wait_ms = key_state.requests.wait_ms(rpm, arrived_ms);
    if (wait_ms > 0) {
      // The rate has no room, so the refusal is not counted in it.
      call.refusedBy(key_state, null);
      throw this.#tooMany(call, "requests", wait_ms, key_state.requests.state(rpm, arrived_ms));
    }
    const shared_wait_ms = key_state.shared_full_until_ms - arrived_ms;
    const of = key_state.shared_full_of;
    const shared_rpm = of === "project" ? key.project?.rpm : key.account_limits?.rpm;
    if (shared_wait_ms > 0 && shared_rpm === key_state.shared_rpm) {
      call.refusedBy(key_state, rpm);
      throw this.#tooMany(call, of, shared_wait_ms, { limit: shared_rpm, remaining: 0, reset_ms: MINUTE_MS });
    }
    if (key_state.running < (key.concurrent ?? this.#limits.default_key.concurrent)) return;
    call.refusedBy(key_state, rpm);
    throw this.#tooMany(call, "concurrency", CONCURRENCY_RETRY_MS, key_state.requests.state(rpm, arrived_ms));
  }

  #tooMany(
    call: GatedCall,
    which: "requests" | "concurrency" | SharedBy,
    retry_after_ms: number,
    requests: LimitState,
  ): GatewayError {
    const rate = { requests, tokens: null };
    call.rate = rate;
    const limited = { outcome: "rate_limited", retry_after_ms, rate } as const;
    this.#deps.metrics.refusals.add(1, which === "concurrency" ? which : "requests");
    if (which === "requests" || which === "concurrency")
      return refusal({ ...limited, limit: which }, this.#refused(call));
    return refusal({ ...limited, limit: "requests", of: which }, this.#refused(call));
  }

  #emptyWallet(call: GatedCall, key_state: LocalKeyState, rpm: number, balance_micro: Micro): GatewayError {
    call.refusedBy(key_state, rpm);
    const rate = { requests: key_state.requests.state(rpm, call.arrived_ms), tokens: null };
    call.rate = rate;
    this.#deps.metrics.refusals.add(1, "balance");
    return refusal({ outcome: "insufficient_balance", balance_micro, rate }, this.#refused(call));
  }

  /** The body has not been read, so the amount that the request needs is unknown. */
  #refused({ key, arrived_ms }: GatedCall): RefusalFacts {
    return { configuration: this.#deps.pipeline.configuration, key, needed_micro: null, now_ms: arrived_ms };
  }
}
