/**
 * The load generator of open streams, a process of its own. Its argument is a HoldOrder as JSON. Opens streams up to each of the steps,
 * prints `open N` when all of them have had their first delta, and goes on to the next step when a line comes in.
 * After the last one it waits until the vendor has ended all streams, and prints `ended N`. Any answer that is not
 * complete ends it with status 1.
 */
import { Connection, requestsOf, type Target } from "./connection.ts";

export interface HoldOrder {
  readonly target: Target;
  /** How many streams are open after each step, in rising order. */
  readonly steps: readonly number[];
}

/** Streams that are opened at the same time. */
const AT_ONCE = 50;

async function run({ target, steps }: HoldOrder): Promise<void> {
  const [request] = requestsOf(target);
  if (request === undefined) throw new Error("there is no key to call with");
  const lines = console[Symbol.asyncIterator]();
  const answers: Promise<unknown>[] = [];

  const openOne = async (): Promise<void> => {
    const connection = await Connection.open(target);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    connection.onRead = (received) => {
      if (!received.includes("token-0")) return;
      connection.onRead = null;
      resolve();
    };
    const answer = connection.call(request).then(() => connection.close());
    answers.push(answer);
    // An answer that ends before its first delta says why.
    await Promise.race([begun, answer]);
  };

  for (const step of steps) {
    while (answers.length < step) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, step - answers.length) }, openOne));
    }
    console.log(`open ${answers.length}`);
    await lines.next();
  }
  await Promise.all(answers);
  console.log(`ended ${answers.length}`);
}

if (import.meta.main) {
  try {
    await run(JSON.parse(process.argv[2] ?? "{}"));
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
