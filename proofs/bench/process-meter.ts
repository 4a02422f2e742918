import { dlopen, FFIType } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** Processor time and memory of other processes, all of their threads, as the operating system counts them. */

const TICKS_PER_S = 100;

/**
 * User and system time that a process has used so far, in milliseconds: to the microsecond on Linux, whose clock of a process
 * is exact, in steps of 10 elsewhere. NaN when there is no such process.
 */
export function cpuMs(pid: number): number {
  return clockMs(pid) ?? statMs(pid) ?? parseClock(ps(pid, "time"));
}

/** The same of a process together with all that it started and their children, those included that have ended since. */
export function treeCpuMs(pid: number): number {
  let sum_ms = cpuMs(pid) + endedChildrenMs(pid);
  for (const child of childrenOf(pid)) {
    const child_ms = treeCpuMs(child);
    // It has ended between the two looks: its parent has its time then.
    if (!Number.isNaN(child_ms)) sum_ms += child_ms;
  }
  return sum_ms;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, "VmRSS");
}

/**
 * What of a process's resident memory is its own, in bytes: without the pages of its program's files, which the kernel drops when
 * another program needs the room. On Linux; elsewhere all of its resident memory.
 */
export function ownBytes(pid: number): number {
  return statusBytes(pid, "RssAnon");
}

function statusBytes(pid: number, member: string): number {
  const status = readOrNull(`/proc/${pid}/status`);
  const kib = status === null ? ps(pid, "rss") : (new RegExp(`^${member}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? "");
  return Number(kib) * 1024;
}

const clock = openClock();
const time = new BigInt64Array(2);

/** Linux's clock of a process, whose number is made of the process's. */
function clockMs(pid: number): number | null {
  if (clock === null || clock.symbols.clock_gettime(~pid * 8 + 2, time) !== 0) return null;
  return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
}

function openClock() {
  if (process.platform !== "linux") return null;
  try {
    return dlopen("libc.so.6", { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
  } catch {
    return null;
  }
}

function statMs(pid: number): number | null {
  const fields = statOf(pid);
  return fields === null ? null : ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S;
}

/** What the children used that have ended, in steps of 10. */
function endedChildrenMs(pid: number): number {
  const fields = statOf(pid);
  return fields === null ? 0 : ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_S;
}

/** The fields of a process's line from the third on. The second is its name in brackets, which may contain spaces. */
function statOf(pid: number): readonly string[] | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function childrenOf(pid: number): number[] {
  if (process.platform !== "linux") return childrenByPs(pid);
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (readOrNull(`/proc/${pid}/task/${thread}/children`) ?? "").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function childrenByPs(pid: number): number[] {
  const rows = Bun.spawnSync(["ps", "-A", "-o", "ppid=,pid="]).stdout.toString().trim().split("\n");
  return rows.flatMap((row) => {
    const [parent, child] = row.trim().split(/\s+/).map(Number);
    return parent === pid && child !== undefined ? [child] : [];
  });
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

/** A time `[[dd-]hh:]mm:ss[.cc]` in milliseconds; NaN for an empty one. */
export function parseClock(clock: string): number {
  if (clock === "") return Number.NaN;
  const parts = clock.replace("-", ":").split(":").map(Number).reverse();
  const units = [1, 60, 3600, 86_400];
  return parts.reduce((sum, part, index) => sum + part * (units[index] ?? 0), 0) * 1000;
}
