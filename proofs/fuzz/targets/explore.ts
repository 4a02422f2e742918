import { Draw } from "../../torture/draw.ts";
import { beginInput, Reached } from "../coverage/coverage-map.ts";
import { mutateBytes } from "../inputs/mutate-bytes.ts";
import type { FuzzTarget } from "./target.ts";

export interface ExploreOptions {
  readonly seed: number;
  /** When to stop, on `performance.now()`'s clock. */
  readonly until_ms: number;
  /** When to stop in any case: after so many inputs, and after the first breach. Absent: never. */
  readonly most?: { readonly executions: number; readonly breaches?: number };
  /** Called with each input before it runs, so that one that never ends can be told. */
  readonly onInput?: (input: Buffer) => void;
}

export interface Explored {
  readonly executions: number;
  /** Edges of the instrumented code that were reached; 0 where nothing is instrumented. */
  readonly edges: number;
  /** How many inputs reached something new. */
  readonly corpus: number;
  readonly breaches: readonly Breach[];
}

/** An input that broke a promise, made as small as is cheap. */
export interface Breach {
  readonly problem: string;
  readonly input: Buffer;
}

/** After so many different breaches a target is left alone. */
const MOST_BREACHES = 5;
/** So many inputs run between two looks at the clock. */
const RUNS_PER_LOOK = 32;

/**
 * Runs a target on its seeds and on changes of them, and keeps the inputs that reach new behaviour, to change them further. Equal seeds try
 * equal inputs in equal order.
 */
export async function explore(
  target: FuzzTarget,
  { seed, until_ms, most, onInput }: ExploreOptions,
): Promise<Explored> {
  const draw = new Draw(seed);
  const reached = new Reached();
  const corpus: Buffer[] = [];
  const breaches = new Map<string, Breach>();
  let executions = 0;
  const attempt = async (input: Buffer): Promise<void> => {
    onInput?.(input);
    executions += 1;
    beginInput();
    const problem = await problemOf(target, input);
    const is_new = reached.takeNew();
    if (problem === null) {
      if (is_new) corpus.push(input);
      return;
    }
    const kind = kindOf(problem);
    if (breaches.has(kind)) return;
    const smallest = await minimise(target, input, kind);
    breaches.set(kind, { problem: (await problemOf(target, smallest)) ?? problem, input: smallest });
  };
  const seeds = target.seeds();
  for (const input of seeds) await attempt(input);
  const most_executions = most?.executions ?? Number.POSITIVE_INFINITY;
  const most_breaches = most?.breaches ?? MOST_BREACHES;
  while (performance.now() < until_ms && executions < most_executions && breaches.size < most_breaches) {
    for (let run = 0; run < RUNS_PER_LOOK; run += 1) {
      const input = chosenFrom(corpus.length > 0 ? corpus : seeds, draw);
      const other = draw.one(corpus.length > 0 ? corpus : seeds);
      const changed =
        target.mutate !== undefined && draw.chance(0.6)
          ? target.mutate(input, draw, other)
          : mutateBytes(input, draw, { words: target.words, other });
      await attempt(changed);
    }
  }
  return { executions, edges: reached.edges, corpus: corpus.length, breaches: [...breaches.values()] };
}

/** Half of the time one of the newest: what was found last has been looked at least. */
function chosenFrom(corpus: readonly Buffer[], draw: Draw): Buffer {
  const newest = Math.max(0, corpus.length - 40);
  return draw.chance(0.5) ? (corpus[draw.whole(newest, corpus.length - 1)] as Buffer) : draw.one(corpus);
}

/** The sentence of what the input breaks; null where all holds. An error that nobody expected is a breach as well. */
export async function problemOf(target: FuzzTarget, input: Buffer): Promise<string | null> {
  try {
    const running = target.run(Buffer.from(input));
    if (running !== undefined) await running;
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${placeOf(thrown)}` : String(thrown);
  }
}

/** The first lines of a stack that are in the project. */
function placeOf({ stack = "" }: Error): string {
  const lines = stack.split("\n").filter((line) => /\/src\//.test(line));
  return lines.slice(0, 4).join("\n");
}

/** A problem without what differs from input to input: two breaches of one kind are told once. */
function kindOf(problem: string): string {
  return (
    problem
      .split("\n")[0]
      ?.replaceAll(/"(?:[^"\\]|\\.)*"|\d+/g, "…")
      .slice(0, 120) ?? ""
  );
}

const MOST_MINIMISING = 1500;

/** Takes parts out of the input, large ones first, as long as it breaks the same promise. */
async function minimise(target: FuzzTarget, input: Buffer, kind: string): Promise<Buffer> {
  let smallest = input;
  let tries = 0;
  for (
    let size = Math.ceil(input.length / 2);
    size >= 1 && tries < MOST_MINIMISING;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < smallest.length && tries < MOST_MINIMISING; tries += 1) {
      const candidate = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      const problem = await problemOf(target, candidate);
      if (problem !== null && kindOf(problem) === kind) smallest = candidate;
      else at += size;
    }
  }
  return smallest;
}
