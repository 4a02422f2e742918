import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import { BackgroundChore } from "./background-chore.ts";

/** Between two steps the node does nine times as long something else, and at least this. */
const REST_FACTOR = 9;
const LEAST_REST_MS = 20;
const BEAT_EVERY_MS = 10_000;

interface DaySummerParts {
  readonly store: Pick<Store, "upkeep">;
  readonly node_id: string;
  readonly log: Log;
  /** How often it is looked whether there is something to sum up. */
  readonly every_ms: number;
}

/**
 * Sums up days that are over (docs/design/reports.md), in small steps with pauses, so that no call waits for it. Of several nodes on one database
 * one does it at a time.
 */
export class DaySummer {
  readonly #parts: DaySummerParts;
  readonly #chore: BackgroundChore;

  constructor(parts: DaySummerParts) {
    this.#parts = parts;
    this.#chore = new BackgroundChore({
      every_ms: parts.every_ms,
      work: () => this.#sum(),
      onFailure: (thrown) => parts.log.warn({ err: thrown }, "days could not be summed up"),
    });
  }

  start(): void {
    this.#chore.start();
  }

  /** Sums up days that are over, unless a run is on. Resolves when it is done; never rejects. */
  sum(): Promise<void> {
    return this.#chore.run();
  }

  stop(): Promise<void> {
    return this.#chore.stop();
  }

  async #sum(): Promise<void> {
    const { store, node_id } = this.#parts;
    const { upkeep } = store;
    if ((await upkeep.closeDays()).length === 0) return;
    await upkeep.openChore("sums", node_id);
    if (!(await upkeep.claimChore("sums", node_id, Number.MAX_SAFE_INTEGER))) return;
    let steps = 0;
    let beaten_ms = performance.now();
    // Another node may have made some since they were listed.
    for (const span of await upkeep.closeDays()) {
      for (let has_more = true; has_more; steps += 1) {
        const began_ms = performance.now();
        has_more = await upkeep.makeSums(span);
        await this.#chore.rest(Math.max(LEAST_REST_MS, (performance.now() - began_ms) * REST_FACTOR));
        if (performance.now() - beaten_ms < BEAT_EVERY_MS) continue;
        beaten_ms = performance.now();
        if (!(await upkeep.beatChore("sums", node_id))) return;
      }
    }
    await upkeep.endChore("sums", node_id, JSON.stringify({ steps }));
  }
}

/** Starts summing up. A gateway that has just started has other things to do: it begins after a while. */
export function openDaySummer(parts: DaySummerParts, opened: AsyncDisposableStack): DaySummer {
  const summer = new DaySummer(parts);
  opened.defer(() => summer.stop());
  summer.start();
  return summer;
}
