import { readFileSync } from "node:fs";

/** Processor time and memory of another process, all of its threads, as the operating system counts them. */

const TICKS_PER_S = 100;

/** User and system time that a process has used so far, in milliseconds, in steps of 10. */
export function cpuMs(pid: number): number {
  const stat = readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return parseClock(ps(pid, "time"));
  // The second field is the program's name in brackets and may contain spaces, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const status = readOrNull(`/proc/${pid}/status`);
  const kib = status === null ? ps(pid, "rss") : (/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? "");
  return Number(kib) * 1024;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Reads a column of `ps`, on systems without /proc. */
function ps(pid: number, column: string): string {
  return Bun.spawnSync(["ps", "-o", `${column}=`, "-p", String(pid)])
    .stdout.toString()
    .trim();
}

/** A time `[[dd-]hh:]mm:ss[.cc]` in milliseconds. */
export function parseClock(clock: string): number {
  const parts = clock.replace("-", ":").split(":").map(Number).reverse();
  const units = [1, 60, 3600, 86_400];
  return parts.reduce((sum, part, index) => sum + part * (units[index] ?? 0), 0) * 1000;
}
