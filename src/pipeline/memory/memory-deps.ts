import type { ResponseCipher } from "../../access/response-cipher.ts";
import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";

/** The limit for an account's stored responses (docs/rulings.md 162). */
export const ACCOUNT_BYTES = 32 * 2 ** 20;

/** The dependencies of the memory of responses. */
export interface MemoryDeps {
  readonly store: ResponseStore;
  readonly cipher: ResponseCipher;
  readonly keep_ms: number;
  /** How long a response waits for others, to be written in one transaction with them. */
  readonly write_after_ms: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}
