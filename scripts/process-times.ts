import { readdirSync, readFileSync } from "node:fs";

/** How often the processes are looked at. What lives shorter than this is in its parent's time, once that has waited for it. */
const EVERY_MS = 500;
/** Linux counts in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

interface Seen {
  readonly parent: number;
  readonly cpu_ms: number;
}

/**
 * The processor time of processes with all that they start, also of what nobody waits for: a browser's pages, a database. It is
 * what was last seen of each. Linux alone; elsewhere there is nothing to see.
 */
export class ProcessTimes implements Disposable {
  readonly #trees = new Map<number, Map<number, number>>();
  readonly #timer: Timer;

  constructor() {
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  watch(pid: number): void {
    this.#trees.set(pid, new Map([[pid, 0]]));
  }

  /** What was seen of a process and its descendants, in milliseconds. */
  seen(pid: number): number {
    const tree = this.#trees.get(pid)?.values() ?? [];
    return [...tree].reduce((sum, cpu_ms) => sum + cpu_ms, 0);
  }

  forget(pid: number): void {
    this.#trees.delete(pid);
  }

  #look(): void {
    if (this.#trees.size === 0) return;
    const processes = readProcesses();
    for (const tree of this.#trees.values()) {
      // A process may be listed before its parent, and only what is known leads to it: until none is new.
      for (let known = -1; known < tree.size; ) {
        known = tree.size;
        for (const [pid, { parent, cpu_ms }] of processes) {
          if (tree.has(pid) || tree.has(parent)) tree.set(pid, cpu_ms);
        }
      }
    }
  }
}

function readProcesses(): Map<number, Seen> {
  const found = new Map<number, Seen>();
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const seen = readProcess(pid);
    if (seen !== null) found.set(pid, seen);
  }
  return found;
}

/** Null where the process has ended meanwhile. */
function readProcess(pid: number): Seen | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, which may have spaces and brackets of its own.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
    return { parent: parent ?? 0, cpu_ms: ((user ?? 0) + (system ?? 0)) * TICK_MS };
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
