import { openStore } from "../src/store/open-store.ts";
import { NODE } from "./targets.ts";

const MS_PER_DAY = 86_400_000;

/** Deletes requests as retention does, but without its pauses, and prints how long its steps took. */
export async function printRetention(url: string, keep_days: number): Promise<void> {
  const { upkeep, ledger, close } = await openStore({ url, node_id: NODE });
  const kept_since_ms = (Math.floor(Date.now() / MS_PER_DAY) - keep_days) * MS_PER_DAY;
  const steps: number[] = [];
  let dropped = 0;
  for (let count = -1; count !== 0; ) {
    const started_ms = performance.now();
    count = await upkeep.dropRequests(kept_since_ms);
    steps.push(performance.now() - started_ms);
    dropped += count;
  }
  const total_ms = steps.reduce((sum, each) => sum + each, 0);
  const sorted = steps.toSorted((a, b) => a - b);
  const at = (part: number): string => `${(sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1)} ms`;
  console.log(
    `\ndeleted ${dropped} requests in ${(total_ms / 1000).toFixed(1)} s and ${steps.length} steps: half of the steps ` +
      `take ${at(0.5)} at most, 99 of 100 ${at(0.99)}, the longest ${at(1)}`,
  );
  await ledger.leave(NODE);
  await close();
}
