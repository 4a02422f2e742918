/** A thread that asks a gateway for its health every 10 ms, and tells the longest answer and the most memory. */
import { readFileSync } from "node:fs";

declare const self: Worker;

export interface Probed {
  readonly longest_ms: number;
  readonly most_kib: number;
  readonly answers: number;
}

const EVERY_MS = 10;
let running: Promise<Probed> | null = null;
let is_over = false;

self.onmessage = async ({ data }: MessageEvent<{ url: string; pid: number } | "end">) => {
  if (data === "end") {
    is_over = true;
    postMessage(await running);
  } else {
    is_over = false;
    running = probe(data);
  }
};

async function probe({ url, pid }: { url: string; pid: number }): Promise<Probed> {
  let longest_ms = 0;
  let most_kib = 0;
  let answers = 0;
  while (!is_over) {
    const asked_ms = performance.now();
    const answer = await fetch(`${url}/healthz`);
    await answer.text();
    if (answer.status !== 200) throw new Error(`/healthz answered ${answer.status}`);
    answers += 1;
    longest_ms = Math.max(longest_ms, performance.now() - asked_ms);
    most_kib = Math.max(most_kib, residentKib(pid));
    await Bun.sleep(EVERY_MS);
  }
  return { longest_ms, most_kib, answers };
}

function residentKib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
