/** `npm run bench`: the cost of the gateway beside proxies that do less. bench/README.md explains every figure. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { type Candidate, startCandidate, startGateway } from "./candidates.ts";
import { brokenPromises } from "./gate.ts";
import {
  type Direct,
  type Figures,
  measureDirect,
  measureLatency,
  measureLong,
  measureStream,
  measureUnary,
  noFigures,
  residentOf,
  warmUp,
} from "./measure.ts";
import { type Command, type Lane, type Plan, readCommand } from "./plan.ts";
import { plainCommitMs } from "./plain-commit.ts";
import { type Program, ROOT, startServer } from "./programs.ts";
import { renderTable } from "./report.ts";
import { summarise } from "./summary.ts";

interface Entry {
  readonly candidate: Candidate;
  readonly figures: Figures;
}

/** Runs the plan against started candidates. `folder`: on the disk that the ledger writes to. */
async function measure(entries: readonly Entry[], direct: Direct, plan: Plan, folder: string): Promise<void> {
  for (const { candidate, figures } of entries) figures.rss_start_bytes = residentOf(candidate);
  for (const { candidate } of entries) await warmUp(candidate, plan);
  const lanes: Record<Lane, (entry: Entry) => Promise<void>> = {
    unary: async ({ candidate, figures }) => {
      await measureUnary(candidate, figures, plan);
      figures.rss_end_bytes = residentOf(candidate);
    },
    history: ({ candidate, figures }) => measureLong(candidate, figures, plan),
    streaming: ({ candidate, figures }) => measureStream(candidate, figures, plan),
    latency: ({ candidate, figures }) => measureLatency(candidate, figures, direct, plan),
  };
  for (const lane of plan.lanes) await inRounds(lane, entries, plan, lanes[lane]);
  for (let round = 0; round < plan.rounds; round++) {
    await measureDirect(direct, plan);
    direct.commit_ms.push(plainCommitMs(folder));
  }
}

/** Measures all candidates in each round, beginning with another one each time: a slow minute hits all of them. */
async function inRounds(
  lane: string,
  entries: readonly Entry[],
  { rounds }: Plan,
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    console.error(`${lane}: round ${round + 1} of ${rounds}`);
    const first = round % entries.length;
    for (const entry of [...entries.slice(first), ...entries.slice(0, first)]) await work(entry);
  }
}

/** Starts the vendor and every installed candidate. Started programs are in `running` even when this throws. */
async function startAll(plan: Plan, folder: string, running: Program[]): Promise<{ url: string; entries: Entry[] }> {
  const vendor = await startServer("vendor.ts", [], folder);
  running.push(vendor);
  const url = `http://127.0.0.1:${vendor.port}/v1`;
  const entries: Entry[] = [];
  for (const name of plan.candidates) {
    const candidate = await startCandidate(name, url, folder);
    if (candidate === null) {
      console.error(`${name} is not installed: left out`);
      continue;
    }
    running.push(candidate.program);
    entries.push({ candidate, figures: noFigures() });
  }
  for (const variant of plan.variants) {
    const candidate = await startGateway(variant, url, folder);
    running.push(candidate.program);
    entries.push({ candidate, figures: noFigures() });
  }
  return { url, entries };
}

/** Runs the command, and returns the exit status. */
async function bench({ plan, json, gate }: Command): Promise<number> {
  // A folder in the project, because the system's temporary one may be in memory, and the ledger must write to a disk.
  await mkdir(join(ROOT, "tmp"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "tmp/bench-"));
  const running: Program[] = [];
  try {
    const { url, entries } = await startAll(plan, folder, running);
    const direct: Direct = { url, per_s: [], p50_ms: [], commit_ms: [] };
    await measure(entries, direct, plan, folder);

    const summaries = Object.fromEntries(entries.map(({ candidate, figures }) => [candidate.name, summarise(figures)]));
    console.log(`\n${renderTable(summaries, direct)}`);
    if (json !== null) {
      const rounds = Object.fromEntries(entries.map(({ candidate, figures }) => [candidate.name, figures]));
      const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, bun: Bun.version };
      await Bun.write(json, `${JSON.stringify({ machine, plan, summaries, direct, rounds }, null, 2)}\n`);
    }
    if (!gate) return 0;
    const broken = brokenPromises(summaries, Math.min(...direct.commit_ms));
    console.log(broken.length === 0 ? "gate: every promise is kept" : `gate:\n  ${broken.join("\n  ")}`);
    return broken.length === 0 ? 0 : 1;
  } finally {
    for (const program of running.reverse()) await program.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await bench(readCommand(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
