import { strict as assert } from "node:assert";
import { scriptText } from "../../simulator/agent/script.ts";
import type { Scenario } from "./client.ts";
import type { Session } from "./session.ts";
import { STRICT_VENDORS } from "./strict-vendors.ts";

const NONE = "vendors with such rules speak chat completions or messages";

/** A loop of tools with each of them. `run` gives the prompt to the client and resolves with the text of its last answer. */
export function takesBackThoughts(
  run: (session: Session, model: string, prompt: string) => Promise<string>,
  way = "",
): Scenario {
  return {
    name: `${way}goes on where DeepSeek, Moonshot, Groq, Google or Z.ai refuse thoughts that come back otherwise`,
    timeout_ms: 300_000,
    except: { responses: NONE, gemini: NONE, "bedrock-converse": NONE },
    async run(session) {
      const words = ["one", "two", "last of three"];
      const prompt = scriptText(words.map((word) => ["run", `echo ${word}`]));
      for (const { id, protocol } of STRICT_VENDORS) {
        if (protocol !== session.protocol) continue;
        const text = await run(session, `${id}/agent`, prompt);
        assert.match(text, /last of three/, `${id}: ${text}`);
        assert(!/"reasoning_content":""/.test(session.vendorSaw.at(-1)?.text ?? ""), `${id}: thoughts were lost`);
      }
      const refused = session.vendorSaw.filter(({ status }) => status >= 400);
      assert.deepEqual(
        refused.map(({ model, status }) => `${status} of ${model}`),
        [],
      );
    },
  };
}
