import { join } from "node:path";
import type { Target } from "./connection.ts";
import { modelOf, type Shape } from "./exchange.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import type { OpenLoadOrder, OpenLoadResult } from "./open-load.ts";
import { BUN, environment, ROOT } from "./programs.ts";

/** Where calls go: the vendor itself, or a program before it. */
export interface Place {
  /** The base URL of the endpoint. */
  readonly url: string;
  readonly key: string;
  /** What stands before the model's short name: `bench/`. */
  readonly prefix: string;
  /** Headers that the program wants beside the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What Camino and the bench's own proxies want to be called with. */
export const PLAIN = { prefix: "bench/", headers: {} } as const;

export function targetOf({ url, key, prefix, headers }: Place, shape: Shape): Target {
  return { url, keys: [key], headers, model: `${prefix}${modelOf(shape)}`, shape };
}

/** The vendor itself, called without anything in between. */
export function vendorPlace(url: string): Place {
  return { ...PLAIN, url, key: "none" };
}

/** Calls in a closed loop. Rejects when any answer is incomplete. */
export function runLoad(order: LoadOrder): Promise<LoadResult> {
  return run("load.ts", order);
}

/** Calls at random times. Rejects when any answer is incomplete. */
export function runOpenLoad(order: OpenLoadOrder): Promise<OpenLoadResult> {
  return run("open-load.ts", order);
}

async function run<Result>(script: string, order: object): Promise<Result> {
  const child = Bun.spawn([BUN, join(ROOT, "proofs/bench", script)], {
    env: environment(),
    stdin: Buffer.from(JSON.stringify(order)),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`the load generator gave up: ${stderr}`);
  return JSON.parse(stdout);
}
