import type { LedgerStore } from "../core/ports.ts";
import type { Log } from "../observe/log.ts";

/** Shorter than the silence after which a node counts as dead, so that one late mark does not end a node's holds. */
const SWEEP_EVERY_MS = 5000;

/** Every few seconds marks this node as alive, and ends the holds of dead nodes (docs/rulings.md 43). */
export function startSweeping(ledger: LedgerStore, node_id: string, log: Log): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const sweep = async () => {
    try {
      const { settled, voided } = await ledger.sweep(node_id);
      if (settled + voided > 0) log.warn({ settled, voided }, "ended holds that a dead process had left");
    } catch (thrown) {
      log.error({ err: thrown }, "the sweep of holds failed");
    }
  };
  const tick = () => {
    if (!stopped) running = sweep();
  };
  const timer = setInterval(tick, SWEEP_EVERY_MS);
  tick();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
