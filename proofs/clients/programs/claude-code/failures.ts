import { strict as assert } from "node:assert";
import { scriptText } from "../../../../simulator/agent/script.ts";
import type { Scenario } from "../../client.ts";
import { interruptions } from "../../interruption.ts";
import type { Session } from "../../session.ts";
import { mustRunClaude, runClaude, startClaude } from "./run.ts";

/** A vendor that fails a few times: Claude Code tries again until it gets an answer. */
async function failsFirst(session: Session, kind: string): Promise<void> {
  const model = session.model(kind);
  const { text } = await mustRunClaude(session, { model, prompt: scriptText([["run", "echo at last"]]) });
  assert.match(text, /at last/);
  const failed = session.vendorSaw.filter(({ status }) => status >= 400);
  assert(failed.length > 0, "the vendor did not fail");
}

export const failures: readonly Scenario[] = [
  ...interruptions(async (session, kind, prompt) => {
    const running = startClaude(session, { model: session.model(kind), prompt, args: ["--include-partial-messages"] });
    await running.hasSaid("content_block_delta");
    return running;
  }),
  {
    name: "says that the wallet is empty (402)",
    async run(session) {
      const env = { ANTHROPIC_AUTH_TOKEN: await session.newKey("0") };
      const { result } = await runClaude(session, { model: session.model("agent"), prompt: "Hello.", env });
      assert.equal(result.is_error, true);
      assert.match(result.result ?? "", /credit|balance|wallet/i);
      assert.equal(session.vendorSaw.length, 0);
    },
  },
  { name: "waits when it is told to (429)", run: (session) => failsFirst(session, "agent-429") },
  { name: "asks again when the vendor is away (503)", run: (session) => failsFirst(session, "agent-503") },
  { name: "asks again when the vendor is overloaded (529)", run: (session) => failsFirst(session, "agent-529") },
];
