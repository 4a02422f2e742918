import { strict as assert } from "node:assert";
import { scriptText } from "../../../simulator/agent/script.ts";
import type { Scenario } from "../../client.ts";
import type { Session } from "../../session.ts";
import { mustRunCodex, runCodex, startCodex } from "./run.ts";

/** A vendor that fails a few times: Codex tries again until it gets an answer. */
async function failsFirst(session: Session, kind: string): Promise<void> {
  const prompt = scriptText([["run", "echo at last"]]);
  const { text } = await mustRunCodex(session, { model: session.model(kind), prompt });
  assert.match(text, /at last/);
  assert(
    session.vendorSaw.some(({ status }) => status >= 400),
    "the vendor did not fail",
  );
}

export const failures: readonly Scenario[] = [
  {
    name: "is interrupted, and the vendor's call ends",
    async run(session) {
      const prompt = scriptText([["say", "one word after the other ".repeat(50)]]);
      const running = await startCodex(session, { model: session.model("agent-slow"), prompt });
      await running.hasSaid("turn.started");
      const started = performance.now();
      while (!((session.vendorSaw.at(-1)?.bytes_written ?? 0) > 0)) {
        assert(performance.now() - started < 30_000, "the vendor was not asked");
        await Bun.sleep(50);
      }
      running.signal("SIGINT");
      await running.ended;
      const call = session.vendorSaw.at(-1);
      assert(call !== undefined && (await call.ended).aborted, "the vendor went on");
    },
  },
  {
    name: "says that the wallet is empty (402)",
    async run(session) {
      const key = await session.newKey("0");
      const { events, status } = await runCodex(session, { model: session.model("gpt-5.5"), prompt: "Hello.", key });
      assert.notEqual(status, 0);
      assert.match(JSON.stringify(events), /credit|balance|wallet/i);
      assert.equal(session.vendorSaw.length, 0);
    },
  },
  { name: "asks again when it is told to wait (429)", run: (session) => failsFirst(session, "agent-429") },
  { name: "asks again when the vendor is away (503)", run: (session) => failsFirst(session, "agent-503") },
  { name: "asks again when the vendor is overloaded (529)", run: (session) => failsFirst(session, "agent-529") },
];
