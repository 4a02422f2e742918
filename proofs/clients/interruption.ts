import { strict as assert } from "node:assert";
import { scriptText } from "../../simulator/agent/script.ts";
import type { Scenario } from "./client.ts";
import type { Running } from "./program.ts";
import type { Session } from "./session.ts";

/** Starts the client on a model of this kind, and resolves once the client reads the answer to this prompt. */
export type StartReading = (session: Session, kind: string, prompt: string) => Promise<Running>;

/**
 * A client is interrupted while it reads an answer (docs/rulings.md 143). The call of a model that shows all that it makes is
 * closed. A model that may think unseen is read to the end of its answer, and the whole of it is paid.
 */
export function interruptions(startReading: StartReading): Scenario[] {
  const interrupt = async (session: Session, kind: string) => {
    const running = await startReading(session, kind, scriptText([["say", "one word after the other ".repeat(50)]]));
    const call = session.vendorSaw.findLast(({ finished }) => !finished);
    running.signal("SIGINT");
    await running.ended;
    assert(call !== undefined, "no vendor's call was running");
    return await call.ended;
  };
  return [
    {
      name: "is interrupted, and the vendor's call ends",
      async run(session) {
        const { aborted } = await interrupt(session, "agent-slow");
        assert(aborted, "the vendor went on");
      },
    },
    {
      name: "is interrupted where the model thinks, and the answer is paid as its vendor counts it",
      async run(session) {
        const { aborted, usage } = await interrupt(session, "agent-slow-thinking");
        assert(!aborted && usage !== null, "the vendor's call was closed");
        const spent = await session.spentMicro();
        const least = usage.output * OUTPUT_PRICE;
        assert(spent >= least, `${spent} micro units were charged; the output alone costs ${least}`);
      },
    },
  ];
}

/** Units per million tokens, which are micro units per token (models.ts). */
const OUTPUT_PRICE = 4;

/** Resolves once the vendor has begun to answer. */
export async function vendorBegan(session: Session): Promise<void> {
  const started = performance.now();
  while (!((session.vendorSaw.at(-1)?.bytes_written ?? 0) > 0)) {
    assert(performance.now() - started < 60_000, "the vendor was not asked");
    await Bun.sleep(50);
  }
}
