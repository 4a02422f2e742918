import { expect, test } from "bun:test";
import { RecentCommits } from "./recent-commits.ts";
import { type ServerState, ServerWatch } from "./server-watch.ts";
import type { MakeWork, Session } from "./session.ts";

const STATE: ServerState = {
  ...{ is_replica: false, read_only: "off", synchronous_commit: "on", fsync: "on", full_page_writes: "on" },
  ...{ system: "1", timeline: "00000001" },
};
const AFTER: ServerState = { ...STATE, timeline: "00000002" };

/** A session whose server says that there was a failover, and answers what it is asked then as `answer` says. */
function sessionOf(answer: () => Promise<unknown>): Session {
  const answers = [async (): Promise<unknown> => AFTER];
  const read = async <Result>(_: MakeWork<Result>): Promise<Result> => (await (answers.shift() ?? answer)()) as Result;
  return { read, write: () => Promise.reject(new Error("nothing was lost")) };
}

const nothingLost = async (): Promise<unknown> => ({ ops: [], accountOf: () => undefined });

test("of several connections one looks for what a failover lost, and the others wait until it has", async () => {
  const events: string[] = [];
  const watch = new ServerWatch(STATE, new RecentCommits(), ({ kind }) => void events.push(kind));
  const first = Promise.withResolvers<unknown>();
  let greeted = 0;
  const greet = async (answer: () => Promise<unknown>): Promise<void> => {
    await watch.greet(sessionOf(answer));
    greeted += 1;
  };
  const greetings = [greet(() => first.promise), greet(nothingLost), greet(nothingLost)];
  await Bun.sleep(5);
  expect(greeted).toBe(0);
  first.resolve(await nothingLost());
  await Promise.all(greetings);
  expect(events).toEqual(["failover"]);
});

test("a connection that fails, or never answers, keeps no other from looking", async () => {
  const events: string[] = [];
  const tell = ({ kind }: { readonly kind: string }): void => void events.push(kind);
  const watch = new ServerWatch(STATE, new RecentCommits(), tell, { patience_ms: 20 });
  const failed = watch.greet(sessionOf(() => Promise.reject(new Error("gone"))));
  const silent = watch.greet(sessionOf(() => new Promise(() => {})));
  const well = watch.greet(sessionOf(nothingLost));
  expect(await failed.catch(String)).toBe("Error: gone");
  await well;
  expect(events).toEqual(["failover"]);
  expect(await Promise.race([silent.then(() => "greeted"), "waits"])).toBe("waits");
});
