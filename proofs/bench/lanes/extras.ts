import { makeKeys } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type Lane, quotient, type Row, rowId, type Setting } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { BARE, type Served, type Subject, serve, serveBare } from "./served.ts";

/** What a call costs beside a plain one of the same gateway: under ten limits by model, and as a stored answer that is given again. */
export const extras: Lane = { name: "extras", measure };

const CONCURRENCY = 32;
const FULL = { rounds: 7, warm: 20_000, sqlite: 6000, postgres: 2500 };
const QUICK: typeof FULL = { rounds: 2, warm: 300, sqlite: 300, postgres: 100 };

/** Ten limits by model, each of which concerns the bench's model and is never reached. */
const TEN_LIMITS = ["*", "b*", "be*", "ben*", "benc*", "bench*", "bench/*", "*/*", "*h/*", "*ch/*"].map((models) => ({
  ...{ models, rpm: 100_000_000, tpm: 1_000_000_000, concurrent: 10_000 },
  budget: { amount: "100000", window: "day" },
}));
const KINDS = ["limits", "hits"] as const;
type Kind = "plain" | (typeof KINDS)[number];

interface Cast {
  readonly served: Served;
  readonly subjects: Readonly<Record<Kind, Subject>>;
}

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const bare = await serveBare(setting, scope);
  await warm(bare, { calls: amounts.warm, concurrency: CONCURRENCY });
  const cast: Cast[] = [];
  for (const database of setting.databases)
    for (const variant of setting.variants) {
      setting.say(`extras: ${variant.name} on ${database} is warmed up`);
      const served = await serve(setting, scope, variant, database);
      const subjects = await subjectsOf(served);
      const calls = Math.min(amounts.warm, 5 * amounts[database]);
      for (const subject of Object.values(subjects)) await warm(subject, { calls, concurrency: CONCURRENCY });
      cast.push({ served, subjects });
    }
  const looks = cast.flatMap(({ served, subjects }) =>
    Object.values(subjects).map((subject) => ({ subject, calls: amounts[served.database] })),
  );
  await inRounds(amounts.rounds, [{ subject: bare, calls: amounts.sqlite }, ...looks], async (look, round) => {
    if (look.subject === bare) setting.say(`extras: round ${round + 1} of ${amounts.rounds}`);
    const { calls, subject } = look;
    rounds.add(subject.name, await measureCalls(subject, { calls, concurrency: CONCURRENCY }));
  });
  return { rows: cast.flatMap((each) => KINDS.map((kind) => rowOf(rounds, each, kind))), rounds };
}

async function subjectsOf(served: Served): Promise<Cast["subjects"]> {
  const [limited = ""] = await makeKeys(served.gateway, 1, { model_limits: TEN_LIMITS });
  return {
    plain: served,
    limits: { ...served, name: `${served.name}, ten limits`, key: limited },
    hits: { ...served, name: `${served.name}, hits`, headers: { ...served.headers, "x-camino-cache": "7d" } },
  };
}

const WHAT = { limits: "ten limits by model", hits: "a stored answer" } as const;

function rowOf(rounds: Rounds, { served, subjects }: Cast, kind: (typeof KINDS)[number]): Row {
  const [above, plain] = [subjects[kind].name, subjects.plain.name];
  return {
    id: rowId(served.variant, `extras.${served.database}.${kind}`),
    name: `${served.name}, ${WHAT[kind]} ÷ a plain call: processor time per call`,
    value: rounds.ratio(above, plain, "total_us"),
    noise: rounds.spread(BARE, "total_us"),
    from: quotient(rounds.median(above, "total_us"), rounds.median(plain, "total_us"), "µs"),
  };
}
