import type { LedgerStore, LocalRequestState } from "../core/store/ports.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../observe/log.ts";
import { BackgroundChore } from "./background-chore.ts";

/** A third of the silence after which a node counts as dead, so that one late mark does not end a node's holds. */
const SWEEP_EVERY_MS = 5000;
/**
 * How soon a sweep is tried again that failed, for so many times; then the next one is as far away as ever. A process that was
 * paused finds its sweep in flight failed when it wakes, while the others have seen no beat of it for as long as it slept.
 */
const AGAIN_AFTER_MS = [0, 250, 1000];

/** The parts of the process that know requests: while they run, and while their ends wait to be booked. */
interface KnownRequests {
  readonly ledger: Pick<Ledger, "unbookedRequests" | "wasRefused">;
  readonly open_requests: { ids(): Iterable<string> };
}

interface SweepOptions {
  readonly store: Pick<LedgerStore, "sweep">;
  readonly node_id: string;
  readonly log: Log;
  readonly known: KnownRequests;
}

/**
 * Every few seconds marks this node as alive, and ends the holds of dead nodes and those that no request owns (docs/rulings.md
 * 43, 147). A sweep that takes longer is not overtaken by the next; one that failed is tried again at once, and one comes when another node
 * counts as dead.
 */
export function startSweeping({ store, node_id, log, known }: SweepOptions): { stop(): Promise<void> } {
  let again: Timer | undefined;
  let failures = 0;
  const sweepIn = (after_ms: number): void => {
    again = setTimeout(() => void chore.run(), after_ms);
  };
  const chore: BackgroundChore = new BackgroundChore({
    every_ms: SWEEP_EVERY_MS,
    async work() {
      const { settled, voided, next_ms } = await store.sweep(node_id, localStatesOf(known));
      failures = 0;
      if (next_ms !== undefined && next_ms < SWEEP_EVERY_MS) sweepIn(Math.ceil(next_ms));
      if (settled + voided > 0) log.warn({ settled, voided }, "ended holds that nobody would have ended");
    },
    onFailure(thrown) {
      log.error({ err: thrown }, "the sweep of holds failed");
      const after_ms = AGAIN_AFTER_MS[failures];
      failures += 1;
      if (after_ms !== undefined) sweepIn(after_ms);
    },
  });
  chore.start();
  void chore.run();
  return {
    stop: async () => {
      await chore.stop();
      clearTimeout(again);
    },
  };
}

/** The state of each request in this process. It is taken at the first question, as the holds were found before it. */
export function localStatesOf({ ledger, open_requests }: KnownRequests): (request_id: string) => LocalRequestState {
  let running: Set<string> | null = null;
  return (request_id) => {
    running ??= ledger.unbookedRequests().union(new Set(open_requests.ids()));
    if (running.has(request_id)) return "running";
    return ledger.wasRefused(request_id) ? "refused" : "unknown";
  };
}
