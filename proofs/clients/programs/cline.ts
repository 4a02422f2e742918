import { strict as assert } from "node:assert";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptText } from "../../../simulator/agent/script.ts";
import type { Client } from "../client.ts";
import { writeFile } from "../files.ts";
import { lastWords, type Session } from "../session.ts";

const PROVIDERS = { "openai-native": "responses", "openai-compatible": "chat completions" } as const;
type Provider = keyof typeof PROVIDERS;

/** Keeps it from starting a background program of its own, which would outlive the session. */
const ENV = { CLINE_SESSION_BACKEND_MODE: "local" };

interface Asked {
  readonly provider: Provider;
  readonly model: string;
  readonly prompt: string;
  readonly key?: string;
}

/** Its last message, or the error that it ended with. */
async function ask(session: Session, { provider, model, prompt, key = session.key }: Asked): Promise<string> {
  const settings = ["-p", provider, "-k", key, "-m", model, "-b", `${session.url}/v1`];
  const set = await session.run("cline", ["auth", ...settings], { env: ENV });
  assert.equal(set.status, 0, lastWords(set));
  const ended = await session.run("cline", ["--json", "-P", provider, "-m", model, prompt], { env: ENV });
  const lines = ended.stdout.split("\n").filter((line) => line.startsWith("{"));
  const result = lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === "run_result");
  if (result?.finishReason === "completed") return String(result.text);
  return `${lastWords(ended)} ${lines.at(-1)}`;
}

async function works(session: Session, provider: Provider): Promise<void> {
  const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
  const prompt = `Do: ${scriptText([
    ["read", tide],
    ["edit", tide, "high at noon", "high at dusk"],
    ["run", "echo last words"],
  ])}`;
  const text = await ask(session, { provider, model: session.model("agent"), prompt });
  assert.match(text, /last words/);
  assert.equal(await readFile(join(session.folder, "tide.txt"), "utf8"), "high at dusk\n");
  const refused = session.vendorSaw.filter(({ status }) => status >= 400);
  assert.deepEqual(
    refused.map(({ status, path }) => `${status} on ${path}`),
    [],
  );
}

export const cline: Client = {
  id: "cline",
  name: "Cline",
  install: { from: "npm", packages: { cline: "3.0.65" } },
  settings: `
\`\`\`sh
cline auth -p openai-native -k $CAMINO_API_KEY -m openai/gpt-5.5 -b http://127.0.0.1:8787/v1
cline -P openai-native -m openai/gpt-5.5 "Say hello."
\`\`\`

The provider \`openai-native\` speaks responses, \`openai-compatible\` chat completions. It also tells its makers how it is used
(\`otel.cline.bot\`, \`data.cline.bot\`).`,
  scenarios: [
    ...(Object.keys(PROVIDERS) as Provider[]).map((provider) => ({
      name: `with the provider ${provider}: reads and patches files and runs commands`,
      run: (session: Session) => works(session, provider),
    })),
    {
      name: "says that the wallet is empty (402)",
      async run(session: Session) {
        const key = await session.newKey("0");
        const model = session.model("agent");
        const text = await ask(session, { provider: "openai-native", model, prompt: "Say hello to me.", key });
        assert.match(text, /credit|balance|wallet/i);
        assert.equal(session.vendorSaw.length, 0);
      },
    },
  ],
};
