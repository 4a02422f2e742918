import { MEDIA } from "../media.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { BARE, BILLED, type Served, type Subject, serve, serveBare, serveBilled } from "./served.ts";

/**
 * What it costs to carry bytes that nobody reads word by word: a batch of 100 embeddings (200 kB there, 820 kB back) and half a minute of
 * speech as it streams (720 kB). The bare proxy parses and writes the embeddings, and passes the sound on; the plain biller does the same
 * between two durable commits.
 */
export const media: Lane = { name: "media", measure };

const FULL = { rounds: 5, calls: 400, warm: 4000, concurrency: 4 };
const QUICK: typeof FULL = { rounds: 2, calls: 60, warm: 200, concurrency: 4 };
/** Most of the gateway's code for a call is compiled to the end only after thousands of them, and speech takes its time. */
const WARM_CONCURRENCY = 16;

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const bare = await serveBare(setting, scope);
  const billed = await serveBilled(setting, scope);
  const cast: Served[] = [];
  for (const database of setting.databases) {
    for (const variant of setting.variants) cast.push(await serve(setting, scope, variant, database));
  }
  const subjects: readonly Subject[] = [bare, billed, ...cast];
  for (const kind of MEDIA) {
    const shape = { stream: false, media: kind } as const;
    setting.say(`media: ${kind} is warmed up`);
    for (const subject of subjects) await warm(subject, { calls: amounts.warm, concurrency: WARM_CONCURRENCY, shape });
    await inRounds(amounts.rounds, subjects, async (subject, round) => {
      if (subject === bare) setting.say(`media: ${kind}, round ${round + 1} of ${amounts.rounds}`);
      rounds.add(`${subject.name}, ${kind}`, await measureCalls(subject, { ...amounts, shape }));
    });
  }
  return { rows: [...rowsOf(rounds, cast, BARE), ...rowsOf(rounds, cast, BILLED)], rounds };
}

type Kind = (typeof MEDIA)[number];

function rowsOf(rounds: Rounds, cast: readonly Served[], base: typeof BARE | typeof BILLED): Row[] {
  return cast.flatMap((served) => MEDIA.map((kind) => rowOf(rounds, served, kind, base)));
}

/** `base`: who it is compared with. */
function rowOf(
  rounds: Rounds,
  { name, variant, database }: Served,
  kind: Kind,
  base: typeof BARE | typeof BILLED,
): Row {
  const [own, other] = [`${name}, ${kind}`, `${base}, ${kind}`];
  return {
    id: rowId(variant, `media.${database}.${kind}${base === BARE ? "" : `.${base}`}`),
    name: `${name}: processor time of ${kind === "embedding" ? "100 embeddings" : "a speech stream"} ÷ ${base}`,
    value: rounds.ratio(own, other, "cpu_us"),
    noise: rounds.spread(`${BARE}, ${kind}`, "cpu_us"),
    from: quotient(rounds.median(own, "cpu_us"), rounds.median(other, "cpu_us"), "µs"),
  };
}
