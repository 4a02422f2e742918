import { strict as assert } from "node:assert";
import { readFile } from "node:fs/promises";
import { scriptText } from "../../../simulator/agent/script.ts";
import type { Client, Scenario } from "../client.ts";
import { writeFile } from "../files.ts";
import type { Ended } from "../program.ts";
import { lastWords, type Session } from "../session.ts";

/** The protocols that aider speaks, by the prefix of the model's name. */
const WIRES = ["openai", "anthropic"] as const;
type Wire = (typeof WIRES)[number];

function settings(session: Session, wire: Wire, key: string): Record<string, string> {
  const quiet = { LITELLM_LOCAL_MODEL_COST_MAP: "True", AIDER_ANALYTICS_DISABLE: "true", AIDER_CHECK_UPDATE: "false" };
  return wire === "openai"
    ? { OPENAI_API_BASE: `${session.url}/v1`, OPENAI_API_KEY: key, ...quiet }
    : { ANTHROPIC_API_BASE: session.url, ANTHROPIC_API_KEY: key, ...quiet };
}

interface Asked {
  readonly wire?: Wire;
  readonly kind?: string;
  readonly prompt: string;
  readonly args?: readonly string[];
  readonly key?: string;
}

/** aider's LiteLLM takes a `responses/` off the front of a model's name, so the vendor has another id for it. */
function knownId(id: string): string {
  return id.replace(/^responses\//, "of-responses/");
}

/** Runs aider for one message, without git and without questions to the user. */
async function run(session: Session, asked: Asked): Promise<Ended> {
  const { wire = "openai", kind = "agent", prompt, args = [], key = session.key } = asked;
  const model = `${wire}/${knownId(session.model(kind))}`;
  const quiet = ["--no-git", "--no-pretty", "--yes-always", "--no-show-model-warnings", "--no-gitignore"];
  const flags = [...quiet, "--no-auto-commits", "--no-show-release-notes", "--no-suggest-shell-commands"];
  const all = ["--model", model, "--weak-model", model, "--message", prompt, ...flags, ...args];
  return session.run("aider", all, { env: settings(session, wire, key) });
}

/** An answer in each of the formats in which aider accepts changes of `tide.txt`. */
const CHANGES: Readonly<Record<string, string>> = {
  diff: "Here it is.\n\ntide.txt\n```\n<<<<<<< SEARCH\nhigh at noon\n=======\nhigh at dusk\n>>>>>>> REPLACE\n```\n",
  whole: "Here it is.\n\ntide.txt\n```\nhigh at dusk\n```\n",
  udiff: "Here it is.\n\n```diff\n--- tide.txt\n+++ tide.txt\n@@ ... @@\n-high at noon\n+high at dusk\n```\n",
};

function edits(wire: Wire, format: string, streamed: boolean): Scenario {
  return {
    name: `with \`${wire}/\`: changes a file by the format \`${format}\`${streamed ? "" : ", not streamed"}`,
    async run(session) {
      const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
      const prompt = scriptText([["say", CHANGES[format] ?? ""]]);
      const args = ["--edit-format", format, streamed ? "--stream" : "--no-stream", "tide.txt"];
      const ended = await run(session, { wire, prompt, args });
      assert.equal(await readFile(tide, "utf8"), "high at dusk\n", lastWords(ended));
      assert(
        session.vendorSaw.every(({ status }) => status === 200),
        "the vendor refused something",
      );
    },
  };
}

const others: readonly Scenario[] = [
  {
    name: "says that the wallet is empty (402)",
    async run(session) {
      const ended = await run(session, { prompt: "Hello.", key: await session.newKey("0") });
      assert.match(ended.stdout + ended.stderr, /credit|balance|wallet/i);
      assert.equal(session.vendorSaw.length, 0);
    },
  },
  ...[429, 503, 529].map(
    (status): Scenario => ({
      name: `asks again when the vendor fails (${status})`,
      async run(session) {
        const ended = await run(session, { kind: `agent-${status}`, prompt: scriptText([["say", "at last"]]) });
        assert.match(ended.stdout, /at last/, lastWords(ended));
      },
    }),
  ),
];

export const aider: Client = {
  id: "aider",
  name: "aider",
  install: { from: "pypi", packages: { "aider-chat": "0.86.2" }, python: "3.11" },
  settings: `
\`\`\`sh
export OPENAI_API_BASE=http://127.0.0.1:8787/v1
export OPENAI_API_KEY=$CAMINO_API_KEY
aider --model openai/google/gemini-3-flash      # openai/ and then the model's id
\`\`\`

or, over messages, \`ANTHROPIC_API_BASE=http://127.0.0.1:8787\` (without \`/v1\`), \`ANTHROPIC_API_KEY\` and
\`anthropic/\` before the model's id. Of ids that aider does not know it takes the format \`whole\`; \`--edit-format diff\` is shorter.
At its start aider asks GitHub for prices of models, which no setting switches off; it does without them. It takes an empty
wallet (402) for a failure that passes, and tells of it after a minute of attempts.`,
  scenarios: [
    ...WIRES.flatMap((wire) => [edits(wire, "diff", true), edits(wire, "whole", false), edits(wire, "udiff", true)]),
    ...others,
  ],
};
