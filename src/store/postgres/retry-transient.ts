import { StoreUnavailable } from "../../core/store-errors.ts";
import { messageOf, sqlState } from "./store-trouble.ts";

/** Serialization failure and deadlock: the transaction had no effect, and may pass at the next try. */
const TRANSIENT: ReadonlySet<string> = new Set(["40001", "40P01"]);
const LONGEST_WAIT_MS = 100;

/**
 * Repeats a transaction after serialization failures and deadlocks. Waits are random and grow, so that transactions in conflict do not
 * collide again at once. After `patience_ms` it throws a StoreUnavailable ("busy").
 */
export async function retryTransient<Result>(patience_ms: number, attempt: () => Promise<Result>): Promise<Result> {
  const began_ms = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!TRANSIENT.has(sqlState(thrown))) throw thrown;
      if (performance.now() - began_ms > patience_ms) throw tooBusy(thrown);
      // The first failure is usually the last: the transaction in the way has ended.
      if (tries > 1) await Bun.sleep(share() * Math.min(LONGEST_WAIT_MS, 2 ** tries));
    }
  }
}

function tooBusy(cause: unknown): StoreUnavailable {
  return new StoreUnavailable("busy", messageOf(cause), { nothing_happened: true, cause });
}

/** A random share of a wait, from 0 to 1. */
export function share(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}
