import { keepContents } from "../gateway.ts";
import { Rounds } from "../rounds.ts";
import { type DatabaseName, type Lane, quotient, type Row, rowId, type Setting } from "./lane.ts";
import { inRounds, measureCalls, warm } from "./measure-calls.ts";
import { type Served, serve } from "./served.ts";

/**
 * What a call costs beside a plain one: with its trace sent to a collector, with what was said kept, with a hook that is asked about it, and with its
 * usage event sent to a webhook.
 */
export const outside: Lane = { name: "outside", measure };

const CONCURRENCY = 32;
const FULL = { rounds: 7, warm: 30_000, sqlite: 6000, postgres: 2500 };
const QUICK: typeof FULL = { rounds: 2, warm: 300, sqlite: 300, postgres: 100 };

const KINDS = ["traces", "contents", "hook", "usage"] as const;
type Kind = "plain" | (typeof KINDS)[number];
const WHAT = {
  ...{ traces: "its trace to a collector", contents: "what was said kept", hook: "a hook before" },
  usage: "its usage event to a webhook",
} as const;

type Cast = Readonly<Record<Kind, Served>>;

async function measure(setting: Setting) {
  await using scope = new AsyncDisposableStack();
  const rounds = new Rounds();
  const amounts = setting.quick ? QUICK : FULL;
  const sections = startOutside(scope);
  const cast: Cast[] = [];
  for (const database of setting.databases)
    for (const variant of setting.variants) {
      setting.say(`outside: ${variant.name} on ${database} is warmed up`);
      const serveWith = async (kind: Kind): Promise<Served> => {
        const served = await serve(setting, scope, { ...variant, sections: sections[kind] }, database);
        if (kind === "contents") await keepContents(served.gateway);
        const subject = { ...served, name: `${served.name}, ${kind}` };
        await warm(subject, { calls: Math.min(amounts.warm, 5 * amounts[database]), concurrency: CONCURRENCY });
        return subject;
      };
      cast.push({
        plain: await serveWith("plain"),
        traces: await serveWith("traces"),
        contents: await serveWith("contents"),
        hook: await serveWith("hook"),
        usage: await serveWith("usage"),
      });
    }
  const looks = cast.flatMap((each) => Object.values(each));
  await inRounds(amounts.rounds, looks, async (subject, round) => {
    if (subject === looks[0]) setting.say(`outside: round ${round + 1} of ${amounts.rounds}`);
    const calls = amounts[subject.database satisfies DatabaseName];
    rounds.add(subject.name, await measureCalls(subject, { calls, concurrency: CONCURRENCY }));
  });
  return { rows: cast.flatMap((each) => KINDS.map((kind) => rowOf(rounds, each, kind))), rounds };
}

/** A collector, a hook and a webhook that answer at once, in this process: whoever is measured does not pay for them. */
function startOutside(scope: AsyncDisposableStack): Readonly<Record<Kind, object>> {
  const answering = (answer: () => Response): string => {
    const server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 0 },
      fetch: async (request) => {
        await request.arrayBuffer();
        return answer();
      },
    });
    scope.defer(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  };
  const collector = answering(() => new Response(new Uint8Array()));
  const hook = answering(() => Response.json({ action: "allow" }));
  const webhook = answering(() => new Response(null, { status: 204 }));
  return {
    plain: {},
    traces: { telemetry: { otlp: { endpoint: collector, metrics: false } } },
    contents: { content_log: { keep: "1d", mask: ["email", "card"] } },
    hook: { hooks: { before: { url: `${hook}/check`, deadline: "5s" } } },
    usage: { usage_events: { to: [`webhook:${webhook}`] } },
  };
}

function rowOf(rounds: Rounds, cast: Cast, kind: (typeof KINDS)[number]): Row {
  const [above, plain] = [cast[kind].name, cast.plain.name];
  return {
    id: rowId(cast.plain.variant, `outside.${cast.plain.database}.${kind}`),
    name: `${cast.plain.variant.name} on ${cast.plain.database}, ${WHAT[kind]} ÷ a plain call: processor time per call`,
    value: rounds.ratio(above, plain, "total_us"),
    noise: rounds.spread(plain, "total_us"),
    from: quotient(rounds.median(above, "total_us"), rounds.median(plain, "total_us"), "µs"),
  };
}
