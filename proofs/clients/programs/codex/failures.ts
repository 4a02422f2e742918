import { strict as assert } from "node:assert";
import { scriptText } from "../../../../simulator/agent/script.ts";
import type { Scenario } from "../../client.ts";
import { interruptions, vendorBegan } from "../../interruption.ts";
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
  ...interruptions(async (session, kind, prompt) => {
    // A search by the vendor, which Codex offers in each request, is work of the vendor's that is not seen.
    const args = ["-c", 'web_search="disabled"'];
    const running = await startCodex(session, { model: session.model(kind), prompt, args });
    await running.hasSaid("turn.started");
    await vendorBegan(session);
    return running;
  }),
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
