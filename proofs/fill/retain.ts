import { MS_PER_DAY } from "../../src/core/clock.ts";
import { openStore } from "../../src/store/open-store.ts";
import { NODE } from "./targets.ts";

/** Deletes requests as retention does, but without its pauses, and prints how long its steps took. */
export async function printRetention(url: string, keep_days: number): Promise<void> {
  const { upkeep, ledger, close } = await openStore({ url, node_id: NODE });
  const kept_since_ms = (Math.floor(Date.now() / MS_PER_DAY) - keep_days) * MS_PER_DAY;
  const steps: number[] = [];
  const timed = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    const started_ms = performance.now();
    const result = await step();
    steps.push(performance.now() - started_ms);
    return result;
  };
  let dropped = 0;
  let months = 0;
  for (let last_id = ""; ; ) {
    const noted = await timed(() => upkeep.noteMonth(kept_since_ms, last_id));
    if (noted === null) break;
    last_id = noted.last_id;
    dropped += noted.requests;
    if (noted.requests === 0 && (await timed(() => upkeep.dropMonth(noted, kept_since_ms)))) months += 1;
  }
  for (let count = -1; count !== 0; ) {
    count = await timed(() => upkeep.dropRequests(kept_since_ms));
    dropped += count;
  }
  const total_ms = steps.reduce((sum, each) => sum + each, 0);
  const sorted = steps.toSorted((a, b) => a - b);
  const at = (part: number): string => `${(sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1)} ms`;
  console.log(
    `\ndeleted ${dropped} requests and dropped ${months} months in ${(total_ms / 1000).toFixed(1)} s and ${steps.length} steps: half of the steps ` +
      `take ${at(0.5)} at most, 99 of 100 ${at(0.99)}, the longest ${at(1)}`,
  );
  await ledger.leave(NODE);
  await close();
}
