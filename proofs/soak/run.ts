/**
 * Soaks a real gateway: calls of every kind for a long time, with streams, clients that leave, errors and changed keys. Memory, file
 * handles and latency must stay flat, and the books right. See README.md.
 *
 *   npm run soak -- --minutes 60 [--database sqlite|postgres] [--seed N] [--callers N] [--workers N] [--svg FILE]
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Summary } from "../torture/summary.ts";
import { courseLine, coursesOf } from "./flatness.ts";
import { readOptions, type SoakOptions, USAGE } from "./options.ts";
import { type PeriodSeen, runPeriod } from "./period.ts";
import { plot } from "./plot.ts";
import type { Sample } from "./sample.ts";
import { type SoakWorld, startSoakWorld } from "./soak-world.ts";

/** How long a period's calls are made: a short run has as many samples as it takes to judge it. */
const PERIOD_MS = { least: 3000, most: 30_000 };
const PERIODS = 24;
/** In every so manieth period some calls take twenty seconds. */
const LONG_EVERY = 5;
/** The audit reads everything, and takes at most this share of the time. */
const AUDIT_SHARE = 0.1;
const SHOWN = 8;
const MIB = 2 ** 20;

const options = optionsOrUsage();
console.log(
  `soak: ${options.minutes} min on ${options.database}, ${options.callers} callers, ${options.workers} workers, --seed ${options.seed}`,
);
if (process.platform !== "linux") {
  console.error("A soak reads memory and file handles from /proc, which only Linux has.");
  process.exit(2);
}
const is_sound = await soak(options);
// Connections that nobody waits for any more must not keep the command.
process.exit(is_sound ? 0 : 1);

function optionsOrUsage(): SoakOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : "The arguments cannot be read."}\n${USAGE}`);
    process.exit(2);
  }
}

async function soak(given: SoakOptions): Promise<boolean> {
  await using world = await startSoakWorld(given);
  const summary = new Summary();
  const samples: Sample[] = [];
  const done = { key_changes: 0, side_calls: 0 };
  const start_ms = performance.now();
  const end_ms = start_ms + given.minutes * 60_000;
  const load_ms = Math.min(PERIOD_MS.most, Math.max(PERIOD_MS.least, (given.minutes * 60_000) / PERIODS));
  let audit_ms = 0;
  for (let number = 0; world.isRunning; number += 1) {
    const left_ms = end_ms - performance.now();
    const is_last = left_ms < 2 * load_ms;
    const audited = is_last || audit_ms <= (performance.now() - start_ms) * AUDIT_SHARE;
    const long = load_ms === PERIOD_MS.most && number % LONG_EVERY === LONG_EVERY - 1;
    const { seed, callers } = given;
    const seen = await runPeriod(world, { number, seed: seed + number, callers, load_ms, long, audited });
    audit_ms += seen.audit_ms;
    summary.add(seen.history, [], seen.findings);
    done.key_changes += seen.key_changes;
    done.side_calls += seen.side_calls;
    const at_s = (performance.now() - start_ms) / 1000;
    samples.push({ ...seen.sample, at_s, findings: summary.found });
    tell(number, samples.at(-1) as Sample, seen);
    if (is_last) break;
  }
  return await conclude(given, world, { samples, summary, ...done });
}

function tell(number: number, sample: Sample, { findings }: PeriodSeen): void {
  const { at_s, calls, memory_bytes, handles, p50_ms, p95_ms, direct_ms, cpu_ms_per_call, low_ms } = sample;
  console.log(
    `${at_s.toFixed(0).padStart(5)} s  ${calls} calls, ${(memory_bytes / MIB).toFixed(0)} MiB, ${handles} handles, ` +
      `${low_ms.toFixed(1)}/${p50_ms.toFixed(1)}/${p95_ms.toFixed(1)} ms (vendor ${direct_ms.toFixed(1)}), ${cpu_ms_per_call.toFixed(2)} ms of processor a call`,
  );
  for (const { kind, what } of findings.slice(0, SHOWN)) console.log(`  FOUND ${kind} in period ${number}: ${what}`);
  if (findings.length > SHOWN) console.log(`  and ${findings.length - SHOWN} more`);
}

interface Done {
  readonly samples: readonly Sample[];
  readonly summary: Summary;
  readonly key_changes: number;
  readonly side_calls: number;
}

/** Tells what was found, and draws the plot. Resolves with whether all is well. */
async function conclude(given: SoakOptions, world: SoakWorld, done: Done): Promise<boolean> {
  const { samples, summary, key_changes, side_calls } = done;
  const courses = coursesOf(samples);
  console.log();
  for (const line of summary.lines().filter((each) => !each.startsWith("harms"))) console.log(line);
  console.log(`beside      ${side_calls} calls that read, looked or erred; ${key_changes} changes of keys`);
  for (const course of courses) console.log(courseLine(course));
  if (courses.length === 0) console.log("too short to say whether anything grows");
  if (given.svg !== null) {
    const subtitle = `${given.database}, ${given.callers} callers, ${given.workers} workers, ${summary.calls} calls, seed ${given.seed}`;
    await Bun.write(given.svg, plot({ title: `Soak of ${given.minutes} min`, subtitle }, samples));
    console.log(`plot: ${given.svg}`);
  }
  const is_sound = world.isRunning && summary.found === 0 && courses.every(({ is_flat }) => is_flat);
  if (!world.isRunning) console.log("the gateway has ended by itself");
  if (is_sound) console.log(`sound; to repeat: --seed ${given.seed}`);
  else {
    const log = join(tmpdir(), `camino-soak-${process.pid}.log`);
    await Bun.write(log, world.gateway.log());
    console.log(`NOT SOUND; the gateway's log: ${log}`);
  }
  return is_sound;
}
