import { strict as assert } from "node:assert";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Step, scriptText } from "../../../simulator/agent/script.ts";
import type { Client, Scenario } from "../client.ts";
import { redSquare, writeFile } from "../files.ts";
import { interruptions, vendorBegan } from "../interruption.ts";
import { lastWords, type Session } from "../session.ts";
import { takesBackThoughts } from "../thoughts.ts";

/** The packages through which opencode speaks to a provider that its user configures. */
const SDKS = ["@ai-sdk/openai-compatible", "@ai-sdk/openai", "@ai-sdk/anthropic"] as const;
type Sdk = (typeof SDKS)[number];
const [COMPATIBLE] = SDKS;

function configuration(session: Session, sdk: Sdk, id: string): object {
  const model = {
    name: id,
    attachment: true,
    reasoning: true,
    tool_call: true,
    modalities: { input: ["text", "image"], output: ["text"] },
    limit: { context: 100_000, output: 16_000 },
  };
  return {
    autoupdate: false,
    share: "disabled",
    permission: { "*": "allow" },
    provider: {
      camino: {
        npm: sdk,
        name: "Camino",
        options: { baseURL: `${session.url}/v1`, apiKey: "{env:CAMINO_API_KEY}" },
        models: { [id]: model },
      },
    },
  };
}

interface Asked {
  readonly sdk: Sdk;
  readonly kind?: string;
  /** The model's id where it is not one of the session's own vendor. */
  readonly model?: string;
  readonly prompt: string;
  readonly args?: readonly string[];
  readonly key?: string;
}

/** Starts `opencode run`, with everything allowed, and with updates and downloads switched off. */
async function start(session: Session, asked: Asked) {
  const { sdk, kind = "agent", model = session.model(kind), prompt, args = [], key = session.key } = asked;
  const folder = join(session.home, ".config/opencode");
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "opencode.json"), JSON.stringify(configuration(session, sdk, model)));
  await pretendPluginsInstalled(folder);
  const flags = ["--format", "json", "--auto", "--title", "tried", "--model", `camino/${model}`];
  const env = {
    CAMINO_API_KEY: key,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_PURE: "1",
  };
  // The prompt is passed as input, because opencode puts quotes around the words of arguments.
  return session.start("opencode", ["run", ...flags, ...args], { env, stdin: prompt });
}

/**
 * At each start, opencode downloads its package for authors of plugins from npm, and waits for it, unless its settings
 * folder has a lock file that names the package. No setting switches the download off, and the scenarios do not need
 * the package.
 */
export async function pretendPluginsInstalled(folder: string): Promise<void> {
  await mkdir(join(folder, "node_modules"), { recursive: true });
  const dependencies = { "@opencode-ai/plugin": "*" };
  await Bun.write(join(folder, "package.json"), JSON.stringify({ dependencies }));
  const lock = { lockfileVersion: 3, requires: true, packages: { "": { dependencies } } };
  await Bun.write(join(folder, "package-lock.json"), JSON.stringify(lock));
}

/** The answer's text, its events, and everything that was printed. */
async function run(session: Session, asked: Asked): Promise<{ text: string; events: readonly Event[]; all: string }> {
  const ended = await (await start(session, asked)).ended;
  assert(!ended.timed_out, `took too long: ${lastWords(ended)}`);
  const lines = ended.stdout.split("\n").filter((line) => line.startsWith("{"));
  const events = lines.map((line) => JSON.parse(line) as Event);
  const text = events.map(({ part }) => (part?.type === "text" ? part.text : "")).join("");
  return { text, events, all: ended.stdout + ended.stderr };
}

/** A line of `--format json`, with the members that the scenarios read. */
interface Event {
  readonly type: string;
  readonly part?: { readonly type: string; readonly text?: string };
}

async function mustRun(session: Session, asked: Asked): Promise<{ text: string; events: readonly Event[] }> {
  const told = await run(session, asked);
  const error = told.events.find(({ type }) => type === "error");
  assert(error === undefined, JSON.stringify(error));
  return told;
}

/**
 * All tasks in one start of the program, because a start takes longer than the tasks. Over chat completions opencode
 * sends no signatures back, so a Claude model with a thinking budget thinks only until its first call.
 */
function works(sdk: Sdk): Scenario {
  return {
    name: `with ${sdk}: reads, edits and writes files, sees a picture, runs commands, gives work to a sub-agent, shows thoughts`,
    async run(session) {
      const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
      const picture = await writeFile(session.folder, "red.png", redSquare());
      const added = join(session.folder, "added.txt");
      const steps: Step[] = [
        ["read", tide],
        ["read", picture],
        ["edit", tide, "noon", "dusk"],
        ["write", added, "written"],
        [
          "together",
          [
            ["run", "cat tide.txt"],
            ["run", "echo second > second.txt"],
          ],
        ],
        [
          "agent",
          [
            ["run", "echo below > below.txt"],
            ["say", "the sub-agent is done"],
          ],
        ],
        ["run", "echo last words"],
      ];
      const args = ["--thinking", "--variant", "high"];
      const { text, events } = await mustRun(session, { sdk, prompt: scriptText(steps), args });
      assert.equal(await readFile(tide, "utf8"), "high at dusk\n");
      assert.equal(await readFile(added, "utf8"), "written");
      assert.equal(await readFile(join(session.folder, "second.txt"), "utf8"), "second\n");
      assert.equal(await readFile(join(session.folder, "below.txt"), "utf8"), "below\n");
      assert.match(text, /last words/);
      assert.match(text, /\(1 images\)/, `the model saw no picture: ${text}`);
      const thoughts = events.filter(({ part }) => part?.type === "reasoning");
      assert(thoughts.length >= (sdk === COMPATIBLE ? 1 : 2), `${thoughts.length} thoughts were shown`);
      // The simulator refuses thinking that was changed on the way.
      const refused = session.vendorSaw.filter(({ status }) => status >= 400);
      assert.deepEqual(
        refused.map(({ status, path }) => `${status} on ${path}`),
        [],
      );
    },
  };
}

const others: readonly Scenario[] = [
  ...SDKS.map((sdk) =>
    takesBackThoughts(
      async (session, model, prompt) =>
        (await mustRun(session, { sdk, model, prompt, args: ["--thinking", "--variant", "high"] })).text,
      `with ${sdk}: `,
    ),
  ),
  {
    name: "compacts a long conversation, and goes on",
    async run(session) {
      const steps: Step[] = Array.from({ length: 10 }, (_, nth) => ["run", `echo ${nth} >> steps.txt`]);
      await mustRun(session, { sdk: COMPATIBLE, kind: "agent-wordy", prompt: scriptText(steps) });
      assert.equal(await readFile(join(session.folder, "steps.txt"), "utf8"), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
      const sizes = session.vendorSaw.map(({ text }) => text.length);
      assert(
        sizes.some((size, nth) => size * 2 < (sizes[nth - 1] ?? 0)),
        "it did not compact",
      );
    },
  },
  ...interruptions(async (session, kind, prompt) => {
    const running = await start(session, { sdk: COMPATIBLE, kind, prompt });
    await vendorBegan(session);
    return running;
  }),
  {
    name: "says that the wallet is empty (402)",
    async run(session) {
      const { all } = await run(session, { sdk: COMPATIBLE, prompt: "Hello.", key: await session.newKey("0") });
      assert.match(all, /credit|balance|wallet/i);
      assert.equal(session.vendorSaw.length, 0);
    },
  },
  ...[429, 503, 529].map(
    (status): Scenario => ({
      name: `asks again when the vendor fails (${status})`,
      async run(session) {
        const prompt = scriptText([["run", "echo at last"]]);
        const { text } = await mustRun(session, { sdk: COMPATIBLE, kind: `agent-${status}`, prompt });
        assert.match(text, /at last/);
      },
    }),
  ),
];

export const opencode: Client = {
  id: "opencode",
  name: "opencode",
  install: { from: "npm", packages: { "opencode-ai": "1.18.33" } },
  settings: `
In \`~/.config/opencode/opencode.json\`; then \`opencode --model camino/openai/gpt-5.5\`:

\`\`\`json
{
  "provider": {
    "camino": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Camino",
      "options": { "baseURL": "http://127.0.0.1:8787/v1", "apiKey": "{env:CAMINO_API_KEY}" },
      "models": {
        "openai/gpt-5.5": {
          "attachment": true,
          "reasoning": true,
          "modalities": { "input": ["text", "image"], "output": ["text"] },
          "limit": { "context": 400000, "output": 128000 }
        }
      }
    }
  }
}
\`\`\`

\`npm\` may also be \`@ai-sdk/openai\` (responses) or \`@ai-sdk/anthropic\` (messages), with the same \`baseURL\`. \`limit\` tells when to
compact, \`modalities\` whether pictures are sent. For a Claude \`@ai-sdk/anthropic\` is best: over \`@ai-sdk/openai-compatible\`
opencode sends no signatures of thoughts back, so that a Claude which thinks by a budget thinks only until its first tool call.
At each start opencode asks npm for its package for writers of plugins; where npm cannot be reached it waits for that first.`,
  scenarios: [...SDKS.map(works), ...others],
};
