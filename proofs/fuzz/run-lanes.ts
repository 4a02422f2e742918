import type { DatabaseKind } from "../torture/harms.ts";
import type { Finding } from "./finding.ts";
import type { FoundFolder } from "./found-folder.ts";
import type { FuzzSummary } from "./fuzz-summary.ts";
import { SLOTS } from "./gateway/fuzz-models.ts";
import { type FuzzWorld, startFuzzWorld } from "./gateway/fuzz-world.ts";
import { type BatchSeen, runBatch } from "./gateway/run-batch.ts";
import { growthOf } from "./judge/judge-memory.ts";
import type { FuzzOptions } from "./options.ts";

export interface LaneOptions extends Pick<FuzzOptions, "seed" | "lanes" | "case_number" | "most"> {
  readonly database: DatabaseKind;
  /** No batch begins after that, on `performance.now()`'s clock. */
  readonly until_ms: number;
  readonly summary: FuzzSummary;
  readonly folder: FoundFolder;
}

/** Cases at the same time in a lane. */
const WORKERS = 32;
/** An audit reads all books: it may take this share of the time. */
const AUDIT_SHARE = 0.2;

/** Batches until the time is over, in as many worlds as there are lanes. A batch that was begun is ended. */
export async function runLanes(options: LaneOptions): Promise<void> {
  const batches = numbersOf(options);
  await Promise.all(Array.from({ length: options.lanes }, () => lane(options, batches)));
}

/** The numbers of the cases, batch by batch. */
function* numbersOf({ case_number, most }: LaneOptions): Generator<readonly number[]> {
  if (case_number !== null) return yield [case_number];
  for (let first = 0; first < most; first += SLOTS) yield Array.from({ length: SLOTS }, (_, at) => first + at);
}

async function lane(options: LaneOptions, batches: Generator<readonly number[]>): Promise<void> {
  const { until_ms } = options;
  let world: FuzzWorld | null = null;
  let memory_bytes: number[] = [];
  const audits = { next_ms: 0 };
  try {
    for (const numbers of batches) {
      world ??= await startFuzzWorld(options.database);
      const seen = await audited(world, options, numbers, audits);
      const memory = world.memoryBytes();
      if (memory !== null) memory_bytes.push(memory);
      tell(options, seen, growthOf(memory_bytes));
      options.summary.memory_bytes.push(...(memory === null ? [] : [memory]));
      if (seen.findings.length > 0) {
        // What is left behind by one finding would be found again and again.
        await world[Symbol.asyncDispose]();
        world = null;
        memory_bytes = [];
      }
      if (performance.now() > until_ms) return;
    }
  } finally {
    await world?.[Symbol.asyncDispose]();
  }
}

/** A batch, with an audit after it if audits have not taken too much of the time, or if it is the last. */
async function audited(
  world: FuzzWorld,
  { seed, until_ms }: LaneOptions,
  numbers: readonly number[],
  audits: { next_ms: number },
): Promise<BatchSeen> {
  const began_ms = performance.now();
  const is_due = began_ms >= audits.next_ms || began_ms + BATCH_MS > until_ms;
  const seen = await runBatch(world, { seed, numbers, workers: WORKERS, audited: is_due });
  if (is_due) audits.next_ms = performance.now() + seen.audit_ms / AUDIT_SHARE;
  return seen;
}

/** A batch takes about so long: one that begins later is taken for the last. */
const BATCH_MS = 8_000;

function tell({ summary, folder, database }: LaneOptions, seen: BatchSeen, growth: string | null): void {
  summary.add(seen);
  const grown: Finding[] = growth === null ? [] : [{ kind: "memory", what: growth, case_number: null }];
  for (const finding of [...seen.findings, ...grown]) {
    summary.addFinding(finding);
    const of_case = seen.cases.find(({ plan }) => plan.number === finding.case_number) ?? null;
    folder.keepFinding(database, finding, of_case);
  }
}
