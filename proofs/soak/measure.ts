import { readdirSync, readFileSync } from "node:fs";

/** What the operating system (Linux) knows of a gateway: its process, and those that it has started. */

const TICKS_PER_S = 100;

export interface Usage {
  readonly memory_bytes: number;
  readonly handles: number;
  /** User and system time so far. */
  readonly cpu_ms: number;
}

/** A process, and all below it. Those that end meanwhile are left out. */
export function usageOf(pid: number): Usage {
  const total = { memory_bytes: 0, handles: 0, cpu_ms: 0 };
  for (const each of familyOf(pid)) {
    try {
      const found = usageOfOne(each);
      total.memory_bytes += found.memory_bytes;
      total.handles += found.handles;
      total.cpu_ms += found.cpu_ms;
    } catch {
      // It has ended.
    }
  }
  return total;
}

function usageOfOne(pid: number): Usage {
  const resident = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in brackets and may contain spaces, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    memory_bytes: Number(resident) * 1024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    cpu_ms: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S,
  };
}

/** The process and its descendants. */
export function familyOf(pid: number): number[] {
  const found = [pid];
  for (const each of found) found.push(...childrenOf(each));
  return found;
}

/** The processes that a process has started and that run. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
