import { readFileSync } from "node:fs";

/** How often the watch looks, and so the shortest slice that it tells apart. */
const LOOK_EVERY_MS = 2;
const NS_PER_MS = 1e6;

/** The longest slice of a thread: the time for which its event loop served nobody else. */
export interface LongestSlice {
  /** The processor's time in it: another process that takes the core away does not count. */
  readonly cpu_ms: number;
  /** The time by the clock. */
  readonly wall_ms: number;
}

/** Measures the slices of the thread that calls this. */
export class SliceWatch {
  #cpu_ms = 0;
  #wall_ms = 0;
  #last_cpu_ms = threadCpuMs();
  #last_wall_ms = performance.now();

  constructor() {
    setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** The longest slice since the last call. */
  take(): LongestSlice {
    const longest = { cpu_ms: this.#cpu_ms, wall_ms: this.#wall_ms };
    this.#cpu_ms = 0;
    this.#wall_ms = 0;
    return longest;
  }

  #look(): void {
    const cpu_ms = threadCpuMs();
    const wall_ms = performance.now();
    this.#cpu_ms = Math.max(this.#cpu_ms, cpu_ms - this.#last_cpu_ms);
    this.#wall_ms = Math.max(this.#wall_ms, wall_ms - this.#last_wall_ms);
    this.#last_cpu_ms = cpu_ms;
    this.#last_wall_ms = wall_ms;
  }
}

/** The processor's time that the main thread has taken. Where the system does not tell it, the time by the clock. */
function threadCpuMs(): number {
  if (process.platform !== "linux") return performance.now();
  const [ran_ns = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ", 1);
  return Number(ran_ns) / NS_PER_MS;
}
