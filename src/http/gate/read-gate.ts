import type { RateState } from "../../core/ledger/ledger.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { WorkerGroup } from "../../core/worker-group.ts";
import type { LocalRate } from "../../limits/local-rate.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { tooMany } from "../../pipeline/admit/refusal.ts";

/** How many times its requests per minute a key may use the endpoints that only read (docs/rulings.md 141). */
const READS_PER_REQUEST = 10;

/** Holds the rate for the headers of a request's answer. */
export interface RateHolder {
  rate: RateState | null;
}

export interface ReadGateParts {
  /** A key's rate for these endpoints in this process. */
  readonly rateOf: (key: Pick<KeyRecord, "id">) => LocalRate;
  /** The requests per minute of keys without a limit of their own. */
  readonly usualRpm: () => number;
  readonly refusals: Metrics["refusals"];
  readonly workers: WorkerGroup;
}

/** Counts what keys read at the endpoints that only read, in all processes of the gateway. Nothing of it is in the books. */
export class ReadGate {
  readonly #parts: ReadGateParts;

  constructor(parts: ReadGateParts) {
    this.#parts = parts;
    parts.workers.hear("reads", (name, count) => this.#takeElsewhere(name, count));
  }

  /** Throws the 429 where the key's rate has no room. `rate_holder` gets that rate. */
  require(key: KeyRecord, now_ms: number, rate_holder: RateHolder): void {
    const reads = this.#parts.rateOf(key);
    const limit = this.#limitOf(key);
    const wait_ms = reads.wait_ms(limit, now_ms);
    if (wait_ms === 0) return;
    this.#parts.refusals.add(1, "reads");
    rate_holder.rate = { requests: reads.state(limit, now_ms), tokens: null };
    throw tooMany("This key's", `${limit} reads per minute`, wait_ms);
  }

  /** Takes one from the key's rate. Throws as `require` does. */
  take(key: KeyRecord, now_ms: number, rate_holder: RateHolder): void {
    this.require(key, now_ms, rate_holder);
    const reads = this.#parts.rateOf(key);
    const limit = this.#limitOf(key);
    reads.take(limit, now_ms);
    this.#parts.workers.tell("reads", `${limit} ${key.id}`);
    rate_holder.rate = { requests: reads.state(limit, now_ms), tokens: null };
  }

  /** Counts the requests that another process of the gateway served. */
  #takeElsewhere(name: string, count: number): void {
    const [limit = "", id = ""] = name.split(" ");
    this.#parts.rateOf({ id }).take(Number(limit), performance.now(), count);
  }

  #limitOf({ rpm }: KeyRecord): number {
    return READS_PER_REQUEST * (rpm ?? this.#parts.usualRpm());
  }
}
