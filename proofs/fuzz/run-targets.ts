import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FuzzOptions } from "./options.ts";
import type { TargetName } from "./targets/target-names.ts";

const ROOT = join(import.meta.dir, "../..");

/** What came of a target. */
export interface TargetRun {
  readonly target: TargetName;
  readonly executions: number;
  readonly edges: number;
  readonly corpus: number;
  readonly breaches: readonly { readonly problem: string; readonly input: Buffer }[];
}

/** How long a target may take beyond its time: for its seeds, and to make an input small. */
const OVERTIME_MS = 60_000;

/** Explores the targets one after the other, in processes of their own, and tells of each when it is done. */
export async function runTargets(
  { targets, minutes, seed, most }: FuzzOptions,
  onRun: (run: TargetRun) => void,
): Promise<void> {
  if (targets.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), "camino-fuzz-"));
  const seconds = (minutes * 60) / targets.length;
  for (const target of targets) onRun(await runTarget({ target, seed, seconds, most, mark: join(folder, target) }));
  await rm(folder, { recursive: true });
}

interface Asked {
  readonly target: TargetName;
  readonly seed: number;
  readonly seconds: number;
  readonly most: number;
  /** The file that holds the input that runs. */
  readonly mark: string;
}

async function runTarget({ target, seed, seconds, most, mark }: Asked): Promise<TargetRun> {
  const command = [
    join(ROOT, "bin/camino-bun"),
    "--no-orphans",
    "--preload",
    "./proofs/fuzz/coverage/register.ts",
    "proofs/fuzz/targets/main.ts",
  ];
  const words = ["--target", target, "--seed", String(seed), "--seconds", String(seconds), "--mark", mark];
  if (Number.isFinite(most)) words.push("--most", String(most));
  const child = Bun.spawn([...command, ...words], {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: Math.ceil(seconds * 1000 + OVERTIME_MS),
    killSignal: "SIGKILL",
  });
  const [told, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const status = await child.exited;
  if (status === 0 && told !== "") return { target, ...readTold(told) };
  const problem =
    child.signalCode === "SIGKILL"
      ? "an input does not come to its end"
      : `the target ended with ${status}: ${complaint.slice(-1500)}`;
  return { target, executions: 0, edges: 0, corpus: 0, breaches: [{ problem, input: await marked(mark) }] };
}

function readTold(told: string): Omit<TargetRun, "target"> {
  const { breaches, ...rest } = JSON.parse(told) as Omit<TargetRun, "target" | "breaches"> & {
    breaches: { problem: string; input: string }[];
  };
  return {
    ...rest,
    breaches: breaches.map(({ problem, input }) => ({ problem, input: Buffer.from(input, "base64") })),
  };
}

/** The input that ran when its process was ended. */
async function marked(path: string): Promise<Buffer> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(4));
  return bytes.subarray(4, 4 + bytes.readUInt32BE(0));
}
