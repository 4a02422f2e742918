import { strict as assert } from "node:assert";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Step, scriptText } from "../../../simulator/agent/script.ts";
import type { Client } from "../client.ts";
import { redSquare, writeFile } from "../files.ts";
import { lastWords, type Session } from "../session.ts";

const SETTINGS = { security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false } };

interface Asked {
  readonly kind?: string;
  readonly prompt: string;
  readonly key?: string;
  readonly args?: readonly string[];
}

/** The answer of a run without a screen, with everything allowed; its errors are in `all`. */
async function ask(session: Session, { kind = "agent", prompt, key = session.key, args = [] }: Asked) {
  const folder = join(session.home, ".gemini");
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, "settings.json"), JSON.stringify(SETTINGS));
  const flags = ["--model", session.model(kind), "--yolo", "--skip-trust", "--output-format", "json", ...args];
  const env = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: session.url };
  const ended = await session.run("gemini", [...flags, "--prompt", prompt], { env });
  return { text: answerIn(ended.stdout), all: lastWords(ended), status: ended.status };
}

function answerIn(stdout: string): string {
  const start = stdout.indexOf("{");
  if (start < 0) return "";
  const { response } = JSON.parse(stdout.slice(start)) as { response?: string };
  return response ?? "";
}

async function mustAsk(session: Session, asked: Asked): Promise<string> {
  const { text, all, status } = await ask(session, asked);
  assert.equal(status, 0, all);
  // The simulator counts no tokens; the gateway estimates them then.
  const seen = session.vendorSaw.filter(({ path }) => !path.endsWith(":countTokens"));
  const refused = seen.filter((request) => request.status >= 400);
  assert.deepEqual(
    refused.map((request) => `${request.status} on ${request.path}`),
    [],
  );
  return text;
}

export const geminiCli: Client = {
  id: "gemini-cli",
  name: "Gemini CLI",
  install: { from: "npm", packages: { "@google/gemini-cli": "0.61.0" } },
  settings: `
\`\`\`sh
export GEMINI_API_KEY=$CAMINO_API_KEY
export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787
gemini --model openai/gpt-5.5
\`\`\`

It asks how to sign in, unless \`~/.gemini/settings.json\` has \`{"security": {"auth": {"selectedType": "gemini-api-key"}}}\`. Any model will do. To keep it
from telling its makers how it is used, add \`"privacy": {"usageStatisticsEnabled": false}\`.`,
  scenarios: [
    {
      name: "reads, edits and writes files, runs commands and sees a picture",
      async run(session) {
        const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
        const picture = await writeFile(session.folder, "red.png", redSquare());
        const added = join(session.folder, "added.txt");
        const steps: Step[] = [
          ["read", tide],
          ["read", picture],
          ["edit", tide, "high at noon", "high at dusk"],
          ["write", added, "by the agent\n"],
          ["run", "echo last words"],
        ];
        const text = await mustAsk(session, { prompt: `Do: ${scriptText(steps)}` });
        assert.match(text, /last words/);
        assert.equal(await readFile(tide, "utf8"), "high at dusk\n");
        assert.equal(await readFile(added, "utf8"), "by the agent\n");
      },
    },
    {
      name: "goes on with an earlier session",
      async run(session) {
        await mustAsk(session, { prompt: "Remember the lighthouse." });
        const text = await mustAsk(session, {
          prompt: `Do: ${scriptText([["run", "echo second"]])}`,
          args: ["--resume", "latest"],
        });
        assert.match(text, /second/);
        assert.match(session.vendorSaw.at(-1)?.text ?? "", /lighthouse/);
      },
    },
    {
      name: "says that the wallet is empty (402)",
      async run(session) {
        const key = await session.newKey("0");
        const { all, status } = await ask(session, { prompt: "Say hello.", key });
        assert.notEqual(status, 0, all);
        assert.match(all, /credit|balance|wallet/i);
        assert.equal(session.vendorSaw.length, 0);
      },
    },
    {
      name: "asks again when the vendor is away (503)",
      timeout_ms: 240_000,
      async run(session) {
        const { text, all } = await ask(session, {
          kind: "agent-503",
          prompt: `Do: ${scriptText([["say", "back again"]])}`,
        });
        assert.match(text, /back again/, all);
      },
    },
  ],
};
