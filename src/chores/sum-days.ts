import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import { BackgroundChore, beating } from "./background-chore.ts";

/** After a step the node rests nine times as long as it took, and at least this. */
const REST_FACTOR = 9;
const LEAST_REST_MS = 20;

interface DaySummerParts {
  readonly store: Pick<Store, "upkeep">;
  readonly node_id: string;
  readonly log: Log;
  /** How often it is looked whether there is something to sum up. */
  readonly every_ms: number;
}

/**
 * Sums up days that are over (docs/design/reports.md), in small steps with pauses, so that no call waits for it. One node of a database at a time does
 * so.
 */
export function daySummer({ store, node_id, log, every_ms }: DaySummerParts): BackgroundChore {
  return new BackgroundChore({
    every_ms,
    work: (chore) => sumDays(store, node_id, chore),
    onFailure: (thrown) => log.warn({ err: thrown }, "days could not be summed up"),
  });
}

async function sumDays({ upkeep }: Pick<Store, "upkeep">, node_id: string, chore: BackgroundChore): Promise<void> {
  if ((await upkeep.closeDays()).length === 0) return;
  await upkeep.openChore("sums", node_id);
  if (!(await upkeep.claimChore("sums", node_id, Number.MAX_SAFE_INTEGER))) return;
  const isOurs = beating(upkeep, "sums", node_id);
  let steps = 0;
  // Listed again, as another node may have made some meanwhile.
  for (const span of await upkeep.closeDays()) {
    for (let has_more = true; has_more; steps += 1) {
      const began_ms = performance.now();
      has_more = await upkeep.makeSums(span);
      await chore.rest(Math.max(LEAST_REST_MS, (performance.now() - began_ms) * REST_FACTOR));
      if (!(await isOurs())) return;
    }
  }
  await upkeep.endChore("sums", node_id, JSON.stringify({ steps }));
}
