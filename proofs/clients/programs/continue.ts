import { strict as assert } from "node:assert";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptText } from "../../../simulator/agent/script.ts";
import type { Client, Scenario } from "../client.ts";
import { writeFile } from "../files.ts";
import type { Ended } from "../program.ts";
import { lastWords, type Session } from "../session.ts";

/** The providers of Continue through which it reaches the gateway, and the address that each wants. */
const PROVIDERS = { openai: "/v1", anthropic: "/v1" } as const;
type Provider = keyof typeof PROVIDERS;

function configuration(session: Session, provider: Provider, kind: string, key: string): object {
  const model = { name: "Camino", provider, model: session.model(kind), apiKey: key, roles: ["chat", "edit", "apply"] };
  const apiBase = session.url + PROVIDERS[provider];
  const more = { capabilities: ["tool_use", "image_input"], defaultCompletionOptions: { contextLength: 100_000 } };
  return { name: "Camino", version: "1.0.0", schema: "v1", models: [{ ...model, apiBase, ...more }] };
}

interface Asked {
  readonly provider: Provider;
  readonly kind?: string;
  readonly prompt: string;
  readonly key?: string;
}

/** Runs Continue's command line for one message, with every tool allowed and nobody at the terminal. */
async function run(session: Session, { provider, kind = "agent", prompt, key = session.key }: Asked): Promise<Ended> {
  // JSON is YAML.
  const config = await writeFile(
    session.home,
    "config.yaml",
    JSON.stringify(configuration(session, provider, kind, key)),
  );
  const env = { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_CLI_DISABLE_UPDATE_CHECK: "true" };
  return session.run("cn", ["--config", config, "--auto", "-p", prompt], { env });
}

function works(provider: Provider): Scenario {
  return {
    name: `with the provider \`${provider}\`: reads, edits and writes files and runs commands`,
    async run(session) {
      const tide = await writeFile(session.folder, "tide.txt", "high at noon\n");
      const added = join(session.folder, "added.txt");
      const prompt = scriptText([
        ["read", tide],
        ["edit", tide, "noon", "dusk"],
        ["write", added, "written"],
        ["run", "cat tide.txt"],
        ["say", "done with it"],
      ]);
      const ended = await run(session, { provider, prompt });
      assert.equal(await readFile(tide, "utf8"), "high at dusk\n", lastWords(ended));
      assert.match(await readFile(added, "utf8"), /written/);
      assert.match(ended.stdout, /done with it/, lastWords(ended));
      assert(
        session.vendorSaw.every(({ status }) => status === 200),
        "the vendor refused something",
      );
    },
  };
}

const failures: readonly Scenario[] = [
  {
    name: "says that the wallet is empty (402)",
    async run(session) {
      const ended = await run(session, { provider: "openai", prompt: "Hello.", key: await session.newKey("0") });
      assert.match(ended.stdout + ended.stderr, /credit|balance|wallet|402/i, lastWords(ended));
      assert.equal(session.vendorSaw.length, 0);
    },
  },
];

export const continueCli: Client = {
  id: "continue",
  name: "Continue",
  install: { from: "npm", packages: { "@continuedev/cli": "1.5.47" } },
  settings: `
In \`~/.continue/config.yaml\`, which the extensions for VS Code and JetBrains and the command line (\`cn\`) share; the key is in \`~/.continue/.env\`, as
\`CAMINO_API_KEY=…\`:

\`\`\`yaml
name: Camino
version: 1.0.0
schema: v1
models:
  - name: Camino
    provider: openai
    model: openai/gpt-5.5
    apiBase: http://127.0.0.1:8787/v1
    apiKey: \${{ secrets.CAMINO_API_KEY }}
    roles: [chat, edit, apply]
    capabilities: [tool_use, image_input]
    defaultCompletionOptions: { contextLength: 400000 }
\`\`\`

\`provider: anthropic\` speaks messages, at the same \`apiBase\`. The command line was tried; the extensions read the same file and were not.`,
  scenarios: [works("openai"), works("anthropic"), ...failures],
};
