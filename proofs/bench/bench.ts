/** `npm run bench`: the cost of the gateway beside proxies that do less. proofs/bench/README.md explains every figure. */
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { type Candidate, startCandidate, startGateway } from "./candidates.ts";
import { brokenPromises } from "./gate.ts";
import { OWN } from "./gateway.ts";
import { brokenGoals } from "./goals.ts";
import {
  type Direct,
  type Figures,
  measureDirect,
  measureLatency,
  measureLong,
  measureStream,
  measureUnary,
  noFigures,
  ownOf,
  residentOf,
  warmUp,
} from "./measure.ts";
import { startPeer } from "./peers/start-peer.ts";
import { plainCommitMs } from "./plain-commit.ts";
import { type BasicLane, type Command, type Plan, readCommand } from "./plan.ts";
import { type Program, ROOT, startServer } from "./programs.ts";
import { renderPeers, renderRows, renderTable } from "./report.ts";
import { type MeasuredLane, runLanes } from "./run-lanes.ts";
import { summarise } from "./summary.ts";

interface Entry {
  readonly candidate: Candidate;
  readonly figures: Figures;
}

/** Runs the plan against started candidates. `folder`: on the disk that the ledger writes to. */
async function measure(entries: readonly Entry[], direct: Direct, plan: Plan, folder: string): Promise<void> {
  for (const { candidate, figures } of entries) figures.rss_start_bytes = residentOf(candidate);
  for (const { candidate } of entries) await warmUp(candidate, plan);
  const lanes: Record<BasicLane, (entry: Entry) => Promise<void>> = {
    unary: async ({ candidate, figures }) => {
      await measureUnary(candidate, figures, plan);
      figures.rss_after_bytes.push(residentOf(candidate));
      figures.own_after_bytes.push(ownOf(candidate));
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

/** Starts every installed candidate, variants and peers. Started programs are in `running` even when this throws. */
async function startAll(plan: Plan, vendor_url: string, folder: string, running: Program[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  const enter = (candidate: Candidate): void => {
    running.push(candidate.program);
    entries.push({ candidate, figures: noFigures() });
  };
  for (const name of plan.candidates) {
    const candidate = await startCandidate(name, vendor_url, folder);
    if (candidate === null) console.error(`${name} is not installed: left out`);
    else enter(candidate);
  }
  for (const variant of plan.variants) enter(await startGateway(variant, vendor_url, folder));
  for (const peer of plan.peers) enter(await startPeer(peer, vendor_url, folder));
  return entries;
}

/** Measures the basic lanes, prints their table, and resolves with their figures as JSON has them. */
async function benchCandidates(plan: Plan, vendor_url: string, folder: string) {
  const running: Program[] = [];
  try {
    const entries = await startAll(plan, vendor_url, folder, running);
    const direct: Direct = { url: vendor_url, per_s: [], p50_ms: [], commit_ms: [] };
    await measure(entries, direct, plan, folder);
    const summaries = Object.fromEntries(entries.map(({ candidate, figures }) => [candidate.name, summarise(figures)]));
    console.log(`\n${renderTable(summaries, direct)}`);
    if (plan.peers.length > 0) console.log(`\n${renderPeers(summaries, plan.peers)}\n\n${machineWords()}`);
    const rounds = Object.fromEntries(entries.map(({ candidate, figures }) => [candidate.name, figures]));
    return { summaries, direct, rounds };
  } finally {
    for (const program of running.reverse()) await program.stop();
  }
}

async function benchLanes(command: Command, vendor_url: string, folder: string): Promise<MeasuredLane[]> {
  const { plan, quick, databases, history_requests, further_lanes } = command;
  const setting = { vendor_url, folder, quick, databases, history_requests, variants: [OWN, ...plan.variants] };
  const measured = await runLanes(further_lanes, setting, (line) => console.error(line));
  if (measured.length > 0) console.log(`\n${renderRows(measured)}`);
  return measured;
}

function machine() {
  return { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, bun: Bun.version };
}

/** When and where figures were measured. */
function machineWords(): string {
  const { cpu, cores, bun } = machine();
  return `Measured on ${new Date().toISOString().slice(0, 10)}: ${cores} cores (${cpu}), Bun ${bun}.`;
}

/** Runs the command, and returns the exit status. */
async function bench(command: Command): Promise<number> {
  const { plan, json, gate } = command;
  // A folder in the project, because the system's temporary one may be in memory, and the ledger must write to a disk.
  await mkdir(join(ROOT, "tmp"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, "tmp/bench-"));
  // The user that PostgreSQL runs as must get to its files.
  await chmod(folder, 0o711);
  const vendor = await startServer("vendor.ts", [], folder);
  try {
    const url = `http://127.0.0.1:${vendor.port}/v1`;
    const basic = plan.lanes.length > 0 ? await benchCandidates(plan, url, folder) : null;
    const lanes = await benchLanes(command, url, folder);
    if (json !== null) {
      const said = { date: new Date().toISOString(), machine: machine(), plan, ...basic, lanes };
      await Bun.write(json, `${JSON.stringify(said, null, 2)}\n`);
    }
    if (!gate) return 0;
    const broken = [
      ...(basic === null ? [] : brokenPromises(basic.summaries, Math.min(...basic.direct.commit_ms))),
      ...brokenGoals(lanes.flatMap(({ rows }) => rows)),
    ];
    console.log(broken.length === 0 ? "gate: every promise is kept" : `gate:\n  ${broken.join("\n  ")}`);
    return broken.length === 0 ? 0 : 1;
  } finally {
    await vendor.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await bench(readCommand(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
