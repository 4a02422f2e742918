import { Database } from "bun:sqlite";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { invite } from "../../../support/people.ts";
import { freshDatabase } from "../../../support/postgres.ts";
import type { Block } from "./blocks.ts";
import { projectFile, type Stage, type StageOptions } from "./stage.ts";

/** The surroundings that commands of a document presume: what is configured, which accounts there are, which files. */
export interface Scene {
  /** A document's path, or a folder of documents, ending in a slash. */
  readonly document: string;
  /** How the blocks of this scene begin; without it, all blocks of the document that no other scene has. */
  readonly begins?: readonly string[];
  /** Whether a gateway serves before the first command. */
  readonly served: boolean;
  readonly stage?: (servers: Servers) => StageOptions | Promise<StageOptions>;
  /** What has happened before the first command. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** What the block's placeholders stand for. */
  readonly replace?: (block: Block, stage: Stage) => Promise<Readonly<Record<string, string>>>;
  /** Called before each line of a block whose lines are alternatives. */
  readonly before_line?: (line: string, stage: Stage) => Promise<void>;
  /** What the commands must have said or left. */
  readonly left?: (stage: Stage, said: string) => Promise<string | null>;
}

/** Vendors of this machine. */
export interface Servers {
  /** Speaks chat completions, and has a list of models. */
  readonly vendor_url: string;
}

const PRICE = "price: { input: 1, output: 2 }";
const PUBLISHED = JSON.stringify({
  mistral: {
    ...{ id: "mistral", name: "Mistral", npm: "@ai-sdk/mistral", api: "https://api.mistral.ai/v1" },
    models: { "mistral-new": published("mistral-new"), echo: published("echo") },
  },
});

function published(id: string): object {
  const modalities = { input: ["text"], output: ["text"] };
  return { id, name: id, cost: { input: 2, output: 6 }, limit: { context: 128_000, output: 8000 }, modalities };
}

async function newKey(
  stage: Stage,
  email = `${crypto.randomUUID()}@example.com`,
): Promise<{ id: string; key: string }> {
  await stage.admin("POST", "/accounts", { email, credit: "10" });
  return stage.admin("POST", "/keys", { account: email });
}

export const SCENES: readonly Scene[] = [
  {
    document: "README.md",
    begins: ["OPENAI_API_KEY"],
    served: false,
    left: async (_stage, said) => (said.includes("openai/gpt-6-luna") ? null : "no model of OpenAI is enabled"),
  },
  {
    document: "README.md",
    served: true,
    replace: async ({ text }, stage): Promise<Record<string, string>> =>
      text.includes("key_…") ? { "key_…": (await newKey(stage)).id } : {},
  },
  {
    document: "docs/configuration.md",
    served: true,
    stage: ({ vendor_url }) => ({
      env: { OLLAMA_HOST: vendor_url, MISTRAL_API_KEY: "sk-of-a-test" },
      files: {
        "camino.yaml": `vendors:
  sim:
  acme: { protocol: chat-completions, base_url: "${vendor_url}/v1", api_key: sk-of-a-test }
  mistral: { base_url: "${vendor_url}/v1", api_key: sk-of-a-test }
models:
  acme/swift-1: { ${PRICE} }
`,
        "prices.json": PUBLISHED,
      },
    }),
  },
  {
    document: "docs/billing.md",
    served: true,
    before: async (stage) => {
      await stage.admin("POST", "/accounts", { email: "ada@example.com", credit: "20" });
    },
  },
  {
    document: "docs/decisions.md",
    served: true,
    stage: async () => ({
      files: {
        "camino.yaml": `vendors:
  sim:
models:
  local/judge: { decide_with: { engine: logprobs, model: sim/judge, debias: two }, price: { input: 0.5 } }
`,
        "ticket.txt": "The parcel arrived broken, I want my money back.\n",
        "labelled.jsonl": await labelled(),
      },
    }),
  },
  {
    document: "docs/how-to/move-to-another-machine.md",
    begins: ["tar -xf"],
    served: false,
    before: async (stage) => {
      await stage.serve();
      await stage.run("camino backup camino-move.db");
      await stage.stopServing();
      await stage.run("tar -cf camino-move.tar camino-move.db data/secret data/admin-token");
      await rm(join(stage.folder, "data"), { recursive: true });
      await rm(join(stage.folder, "camino-move.db"));
    },
    left: async (stage) => ((await fetch(`${stage.url}/readyz`)).ok ? null : "it does not serve"),
  },
  {
    document: "docs/how-to/",
    served: true,
    stage: ({ vendor_url }) => ({
      files: {
        "camino.yaml": `vendors:
  sim:
  acme: { protocol: chat-completions, base_url: "${vendor_url}/v1", api_key: sk-of-a-test }
  openai: { protocol: chat-completions, base_url: "${vendor_url}/v1", api_key: sk-of-a-test }
models:
  openai/echo: { ${PRICE} }
`,
      },
    }),
    before: async (stage) => {
      await invite(stage, { role: "member", email: "ann@example.com" });
      await stage.admin("POST", "/accounts", { email: "studio@example.com", credit: "20" });
    },
    replace: async ({ text }, stage): Promise<Record<string, string>> => {
      if (text.includes("key_…")) return { "key_…": (await newKey(stage)).id };
      return text.includes("req_…") ? { "req_…": await callOf(stage) } : {};
    },
  },
  {
    document: "docs/migration.md",
    served: false,
    stage: async () => ({
      // The variables that the import names.
      env: Object.fromEntries(
        ["OPENAI", "ANTHROPIC", "AZURE_EU", "AZURE_CA", "OPENAI_127_0_0_1"].map((name) => [variableOf(name), "k"]),
      ),
      files: {
        "config.yaml": await projectFile("src/cli/import/fixtures/litellm.yaml"),
        "keys.json": await projectFile("src/cli/import/fixtures/openrouter.json"),
        "customers.json": await projectFile("src/cli/import/fixtures/litellm-customers.json"),
        "channels.json": await projectFile("src/cli/import/fixtures/new-api.json"),
        "configs.json": await projectFile("src/cli/import/fixtures/portkey.json"),
      },
    }),
  },
  {
    document: "docs/operations.md",
    begins: ["npx camino serve"],
    served: false,
    left: async (stage) => ((await fetch(`${stage.url}/readyz`)).ok ? null : "it does not serve"),
  },
  {
    document: "docs/operations.md",
    begins: ["mkdir -p"],
    served: true,
    before_line: async (line, stage) => {
      if (!line.includes("restore")) return;
      await stage.stopServing();
      // A restore without `--replace` is for where there is no database.
      if (!line.includes("--replace")) await rm(join(stage.folder, "data"), { recursive: true });
    },
  },
  {
    document: "docs/operations.md",
    begins: ["npx camino incident"],
    served: false,
    before: async (stage) => {
      await stage.serve();
      await stage.stopServing();
      const file = new Database(join(stage.folder, "data/camino.db"));
      for (let each = 0; each < 3; each += 1)
        file.run("INSERT INTO incidents (at_ms, kind, detail) VALUES (1, 'unproven', 'of a test')");
      file.close();
    },
  },
  {
    document: "docs/operations.md",
    served: true,
    stage: ({ vendor_url }) => ({
      files: {
        "camino.yaml": `vendors:
  sim:
  openai: { protocol: chat-completions, base_url: "${vendor_url}/v1", api_key: sk-of-a-test }
models:
  openai/echo: { ${PRICE} }
`,
      },
    }),
    before: async (stage) => {
      await invite(stage, { role: "member", email: "ann@example.com" });
      await stage.admin("POST", "/accounts", { email: "studio@example.com", credit: "20" });
      await callAndBill(stage);
    },
    replace: async ({ text }, stage): Promise<Record<string, string>> => {
      if (text.includes("key_…")) return { "key_…": (await newKey(stage)).id };
      if (!text.includes("ent_…_17")) return {};
      return { "ent_…_17": await entryOf(stage, "ann@example.com") };
    },
  },
  {
    document: "docs/scale.md",
    served: false,
    before: async (stage) => {
      await stage.serve();
      await stage.stopServing();
    },
    replace: async () => ({ "postgres://camino@db.example/camino": await freshDatabase() }),
    left: async (_stage, said) => (/moved|entries|compared/i.test(said) ? null : "nothing was moved"),
  },
];

/** `AZURE_EU` → `AZURE_API_KEY_EU`: how an import calls a vendor's variable. */
function variableOf(name: string): string {
  return name.startsWith("AZURE_") ? `AZURE_API_KEY_${name.slice("AZURE_".length)}` : `${name}_API_KEY`;
}

/** A call to the vendor `openai`, by a key that is made for it. */
async function call(stage: Stage): Promise<Response> {
  const { key } = await newKey(stage);
  const body = JSON.stringify({ model: "openai/echo", messages: [{ role: "user", content: "Hello!" }] });
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`${stage.url}/v1/chat/completions`, { method: "POST", headers, body });
}

/** The id of a call that was answered. */
async function callOf(stage: Stage): Promise<string> {
  const answer = await call(stage);
  await answer.arrayBuffer();
  return answer.headers.get("x-camino-request-id") ?? "";
}

/** A call to the vendor `openai`, and what the vendor's bill says of it. */
async function callAndBill(stage: Stage): Promise<void> {
  const answer = await call(stage);
  const { usage } = (await answer.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
  const day = new Date().toISOString().slice(0, 10);
  const row = `${day},echo,${usage.prompt_tokens},${usage.completion_tokens}`;
  await Bun.write(join(stage.folder, "usage.csv"), `day,model,input_tokens,output_tokens\n${row}\n`);
}

/** The id of an account's newest entry. */
async function entryOf(stage: Stage, email: string): Promise<string> {
  await stage.admin("POST", `/accounts/${email}/credits`, { amount: "5" });
  const { data } = await stage.admin<{ data: { id: string }[] }>("GET", `/accounts/${email}/credits?limit=1`);
  return data[0]?.id ?? "";
}

/** Twenty questions of each kind, in the form that the document shows. */
async function labelled(): Promise<string> {
  const { BLOCKS } = await import("./blocks.ts");
  const shown = BLOCKS.find(({ document, language }) => document === "docs/decisions.md" && language === "json");
  return (shown?.text ?? "").repeat(20);
}
