import type { Recovery, Store } from "../../core/store/ports.ts";

/** A monotonic clock that moves when a test says so. */
export class MovedClock {
  #now_ms = 0;

  monotonic_ms(): number {
    return this.#now_ms;
  }

  move(by_ms: number): void {
    this.#now_ms += by_ms;
  }
}

/** Sweeps every five seconds of a node's clock, until it may judge others: what was silent all that time is dead. */
export async function sweepForAWhile(store: Store, node_id: string, clock: MovedClock): Promise<Recovery> {
  const total = { settled: 0, voided: 0 };
  for (let sweep = 0; sweep < 4; sweep += 1) {
    if (sweep > 0) clock.move(5000);
    const { settled, voided } = await store.ledger.sweep(node_id);
    total.settled += settled;
    total.voided += voided;
  }
  return total;
}
