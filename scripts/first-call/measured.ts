import { stat } from "node:fs/promises";
import { run } from "../release/run.ts";

/** Runs a command of a shell, and says what it took: by the clock, and of the processors, its own programs included. Throws all that it printed where it fails. */
export async function measured(
  command: string,
  cwd: string,
): Promise<{ readonly clock_s: number; readonly processor_s: number }> {
  const started = performance.now();
  // The shell's own `times`: what its programs took stands in the last line.
  const { status, stdout, stderr } = await run(["sh", "-euc", `(${command})\ntimes`], cwd);
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`);
  return { clock_s: (performance.now() - started) / 1000, processor_s: readTimes(stdout) };
}

/** The seconds in the last line of a shell's `times`: what the programs that it waited for took, for themselves and in the system. */
export function readTimes(printed: string): number {
  const last = printed.trimEnd().split("\n").at(-1) ?? "";
  const times = [...last.matchAll(/(\d+)m([\d.]+)s/g)];
  if (times.length !== 2) throw new Error(`no times in "${last}"`);
  return times.reduce((sum, [, minutes = "0", seconds = "0"]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

/** What a file or a folder takes on the disk. */
export async function megabytes(path: string): Promise<number> {
  if ((await stat(path)).isFile()) return (await stat(path)).size / 1e6;
  const { stdout } = await run(["du", "-sk", path], "/");
  return Number(stdout.split("\t")[0]) / 976.6;
}
