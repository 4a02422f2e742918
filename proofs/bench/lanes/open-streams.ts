import { targetOf } from "../drive.ts";
import { HELD, streamOf } from "../exchange.ts";
import { endHeld, holdStreams } from "../hold-streams.ts";
import { median } from "../median.ts";
import { residentBytes } from "../process-meter.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting, short } from "./lane.ts";
import { warm } from "./measure-calls.ts";
import { BARE, type Served, type Subject, serve, serveBare } from "./served.ts";

/**
 * What an open stream needs in memory, by the growth from some streams to many: the first ones pay for what all share. Every stream
 * has a delta a second. A heap does not give back what it has had, so each round has new programs.
 */
export const openStreams: Lane = { name: "open-streams", measure };

const FULL = { rounds: 3, some: 500, many: 2500, settle_ms: 3000, warm: 20_000 };
const QUICK: typeof FULL = { rounds: 1, some: 50, many: 250, settle_ms: 800, warm: 300 };

async function measure(setting: Setting) {
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  for (let round = 0; round < amounts.rounds; round++) {
    setting.say(`open-streams: round ${round + 1} of ${amounts.rounds}`);
    await using scope = new AsyncDisposableStack();
    const subjects: Subject[] = [await serveBare(setting, scope)];
    for (const variant of setting.variants) subjects.push(await serve(setting, scope, variant, "sqlite"));
    for (const subject of subjects) {
      await warm(subject, { calls: amounts.warm, concurrency: 32 });
      await warm(subject, { calls: Math.ceil(amounts.warm / 100), concurrency: 8, shape: streamOf(64) });
    }
    for (const subject of subjects) rounds.add(subject.name, await growth(setting, subject, amounts));
  }
  return { rows: setting.variants.flatMap((variant) => rowsOf(rounds, variant)), rounds };
}

/** Opens streams, and resolves with the memory that each of the later ones took. */
async function growth(setting: Setting, subject: Subject, { some, many, settle_ms }: typeof FULL) {
  await using streams = holdStreams({ target: targetOf(subject, HELD), steps: [some, many] });
  await streams.opened(some);
  const before = await residentWhenSettled(subject, settle_ms);
  await streams.opened(many);
  const after = await residentWhenSettled(subject, settle_ms);
  await endHeld(setting.vendor_url);
  await streams.ended(many);
  const kb_per_stream = (after - before) / (many - some) / 1000;
  return { kb_per_stream, rss_some_mb: before / 1e6, rss_many_mb: after / 1e6 };
}

/** The median of what a program has in memory, looked at again and again in the later half of the time. */
async function residentWhenSettled({ program }: Subject, settle_ms: number): Promise<number> {
  const looks = 10;
  await Bun.sleep(settle_ms / 2);
  const residents: number[] = [];
  for (let look = 0; look < looks; look++) {
    residents.push(residentBytes(program.pid));
    await Bun.sleep(settle_ms / 2 / looks);
  }
  return median(residents);
}

/** What a stream takes of the runtime itself differs by half between machines, which the bare proxy shows. */
function rowsOf(rounds: Rounds, variant: Served["variant"]): Row[] {
  const name = `${variant.name} on sqlite`;
  const [own, bare] = [rounds.median(name, "kb_per_stream"), rounds.median(BARE, "kb_per_stream")];
  const noise = rounds.spread(name, "kb_per_stream");
  return [
    {
      id: rowId(variant, "open-streams"),
      name: `${name}: resident memory of an open stream, KB`,
      value: own,
      noise,
      from: `bare ${short(bare)} KB; ${short(rounds.median(name, "rss_many_mb"))} MB in all`,
    },
    {
      id: rowId(variant, "open-streams.ratio"),
      name: `${name} ÷ bare: resident memory of an open stream`,
      value: own / bare,
      noise,
      from: quotient(own, bare, "KB"),
    },
  ];
}
