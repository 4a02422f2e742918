import { Draw } from "./draw.ts";
import { type Caller, drawCall } from "./draw-call.ts";
import { makeCallers } from "./make-callers.ts";
import type { FillOptions } from "./options.ts";
import { NODE, openTarget, type Target } from "./targets.ts";
import { CallWriter, type TimedCall } from "./write-calls.ts";

const MS_PER_DAY = 86_400_000;
const SAY_EVERY_MS = 5000;

/** Adds finished requests to a database. `say` is told how far it has come. */
export async function fill(options: FillOptions, say: (line: string) => void): Promise<void> {
  const { requests, accounts, days, seed, at_once, in_two_steps } = options;
  const target = await openTarget(options);
  const draw = new Draw(seed);
  const began_ms = Date.now() - days * MS_PER_DAY;
  const callers = await target.write(() => makeCallers(draw, accounts, began_ms));
  const writer = new CallWriter();
  const started = performance.now();
  let said = started;
  const times = { began_ms, step_ms: (days * MS_PER_DAY - 60_000) / requests };
  for (let done = 0; done < requests; ) {
    const calls = drawTogether(draw, callers, { ...times, first: done, most: Math.min(at_once, requests - done) });
    await write(target, writer, calls, in_two_steps);
    done += calls.length;
    if (performance.now() - said < SAY_EVERY_MS && done < requests) continue;
    said = performance.now();
    const seconds = (said - started) / 1000;
    say(`${done} requests in ${seconds.toFixed(0)} s, ${Math.round(done / seconds)} a second`);
  }
  await target.close();
}

/** A part of the calls, which are equally far apart: at most so many from one of them on. */
interface Span {
  readonly began_ms: number;
  readonly step_ms: number;
  readonly first: number;
  readonly most: number;
}

/** Calls that begin and end on one day, before the next ones begin. */
function drawTogether(draw: Draw, callers: readonly Caller[], { began_ms, step_ms, first, most }: Span): TimedCall[] {
  const timeOf = (index: number): number => Math.floor(began_ms + index * step_ms);
  const day = Math.floor(timeOf(first) / MS_PER_DAY);
  const calls: TimedCall[] = [];
  let count = most;
  while (count > 1 && Math.floor(timeOf(first + count - 1) / MS_PER_DAY) > day) count -= 1;
  const end_ms = Math.min(timeOf(first + count), (day + 1) * MS_PER_DAY) - 1;
  for (let index = first; index < first + count; index += 1) {
    const at_ms = timeOf(index);
    const call = drawCall(draw, draw.of(callers), at_ms, NODE);
    calls.push({ ...call, at_ms, takes_ms: Math.max(0, Math.min(call.takes_ms, end_ms - at_ms)) });
  }
  return calls;
}

async function write(target: Target, writer: CallWriter, calls: readonly TimedCall[], two: boolean): Promise<void> {
  if (!two) return await target.write(() => writer.writeWhole(calls));
  await target.write(() => writer.writeAdmissions(calls));
  await target.write(() => writer.writeEnds(calls));
}
