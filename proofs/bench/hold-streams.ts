import { join } from "node:path";
import { END_HELD_PATH } from "./exchange.ts";
import type { HoldOrder } from "./hold-load.ts";
import { BUN, environment, ROOT } from "./programs.ts";

/** Streams that a load generator keeps open. Disposing of them cuts those that have not ended. */
export interface HeldStreams extends AsyncDisposable {
  /** Resolves when so many streams have had their first delta: the next step of the order. Rejects when any of them has failed. */
  opened(count: number): Promise<void>;
  /** Resolves when all streams have ended completely, after `endHeld`. */
  ended(count: number): Promise<void>;
}

/** Starts to open streams, step by step. */
export function holdStreams(order: HoldOrder): HeldStreams {
  const child = Bun.spawn([BUN, join(ROOT, "proofs/bench/hold-load.ts"), JSON.stringify(order)], {
    env: environment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const complaint = child.stderr.text();
  const lines = linesOf(child.stdout);
  let steps = 0;
  const expect = async (line: string): Promise<void> => {
    // The generator opens the first step's streams unasked, and goes on at each line.
    if (steps++ > 0) {
      child.stdin.write("go on\n");
      await child.stdin.flush();
    }
    if ((await lines.next()).value !== line) throw new Error(`streams do not stay open: ${await complaint}`);
  };
  return {
    opened: (count) => expect(`open ${count}`),
    ended: (count) => expect(`ended ${count}`),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** Tells the vendor to end all streams that it keeps open. */
export async function endHeld(vendor_url: string): Promise<void> {
  await fetch(`${vendor_url}${END_HELD_PATH}`, { method: "POST" });
}

async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of output) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
