import { MS_PER_DAY } from "../../src/core/clock.ts";
import { Draw } from "./draw.ts";
import { type Caller, drawCall } from "./draw-call.ts";
import { drawRequestTags } from "./draw-tags.ts";
import { makeCallers } from "./make-callers.ts";
import type { MakeOptions } from "./options.ts";
import { NODE, openTarget, type Target } from "./targets.ts";
import { CallWriter, type TimedCall } from "./write-calls.ts";

const SAY_EVERY_MS = 5000;

/** Adds finished requests to a database. `say` is told how far it has come. */
export async function fill(options: MakeOptions, say: (line: string) => void): Promise<void> {
  const { requests, accounts, days, seed, with_tags } = options;
  const target = await openTarget(options);
  const draw = new Draw(seed);
  const began_ms = Date.now() - days * MS_PER_DAY;
  const callers = await target.write(() => makeCallers(draw, { accounts, at_ms: began_ms, with_tags }));
  const progress = new Progress(requests, say);
  const times = { began_ms, step_ms: (days * MS_PER_DAY - 60_000) / requests, with_tags };
  const lanes = lanesOf(draw, callers, Math.min(target.sessions, accounts));
  let taken = 0;
  /** Takes the next calls, as many as are to be written together, until there are none left. */
  const work = async (lane: Lane, most_batches: number): Promise<void> => {
    for (let batch = 0; batch < most_batches && taken < requests; batch += 1) {
      const most = Math.min(options.at_once, requests - taken);
      const calls = drawTogether(lane.draw, lane.callers, { ...times, first: taken, most });
      taken += calls.length;
      await write(target, lane.writer, calls, options.in_two_steps);
      progress.add(calls.length);
    }
  };
  // Texts that all requests share are written by one lane, so that no two wait for each other's.
  for (const lane of lanes.slice(0, 1)) await work(lane, 1);
  await Promise.all(lanes.map((lane) => work(lane, Number.POSITIVE_INFINITY)));
  await target.close();
}

/** Accounts whose calls are written in turn, while other accounts' are written beside them: no two lanes change one row. */
interface Lane {
  readonly draw: Draw;
  readonly callers: readonly Caller[];
  readonly writer: CallWriter;
}

function lanesOf(draw: Draw, callers: readonly Caller[], count: number): Lane[] {
  const lane_of_account = new Map<string, number>();
  for (const { account_id } of callers) {
    if (!lane_of_account.has(account_id)) lane_of_account.set(account_id, lane_of_account.size % count);
  }
  return Array.from({ length: count }, (_, at) => ({
    draw: new Draw(Math.floor(draw.part() * 2 ** 32)),
    callers: callers.filter(({ account_id }) => lane_of_account.get(account_id) === at),
    writer: new CallWriter(),
  }));
}

/** Says how far it has come, every few seconds and at the end. */
class Progress {
  readonly #requests: number;
  readonly #say: (line: string) => void;
  readonly #started_ms = performance.now();
  #said_ms = this.#started_ms;
  #done = 0;

  constructor(requests: number, say: (line: string) => void) {
    this.#requests = requests;
    this.#say = say;
  }

  add(count: number): void {
    this.#done += count;
    const now_ms = performance.now();
    if (now_ms - this.#said_ms < SAY_EVERY_MS && this.#done < this.#requests) return;
    this.#said_ms = now_ms;
    const seconds = (now_ms - this.#started_ms) / 1000;
    this.#say(`${this.#done} requests in ${seconds.toFixed(0)} s, ${Math.round(this.#done / seconds)} a second`);
  }
}

/** A part of the calls, which are equally far apart: at most so many from one of them on. */
interface Span {
  readonly began_ms: number;
  readonly step_ms: number;
  readonly first: number;
  readonly most: number;
  readonly with_tags: boolean;
}

/** Calls that begin and end on one day, before the next ones begin. */
function drawTogether(draw: Draw, callers: readonly Caller[], span: Span): TimedCall[] {
  const { began_ms, step_ms, first, most, with_tags } = span;
  const timeOf = (index: number): number => Math.floor(began_ms + index * step_ms);
  const day = Math.floor(timeOf(first) / MS_PER_DAY);
  const calls: TimedCall[] = [];
  let count = most;
  while (count > 1 && Math.floor(timeOf(first + count - 1) / MS_PER_DAY) > day) count -= 1;
  const end_ms = Math.min(timeOf(first + count), (day + 1) * MS_PER_DAY) - 1;
  for (let index = first; index < first + count; index += 1) {
    const at_ms = timeOf(index);
    const call = drawCall(draw, draw.of(callers), at_ms, NODE);
    const tags = with_tags ? drawRequestTags(draw) : null;
    calls.push({
      ...call,
      admit: { ...call.admit, tags },
      at_ms,
      takes_ms: Math.max(0, Math.min(call.takes_ms, end_ms - at_ms)),
    });
  }
  return calls;
}

async function write(target: Target, writer: CallWriter, calls: readonly TimedCall[], two: boolean): Promise<void> {
  if (!two) return await target.write(() => writer.writeWhole(calls));
  await target.write(() => writer.writeAdmissions(calls));
  await target.write(() => writer.writeEnds(calls));
}
