import type { Key } from "../../../../contract/keys.ts";
import type { Model } from "../../../../contract/models.ts";
import { modelFilter } from "./match-models.ts";

interface ProgramSnippet {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** The values of a snippet: the gateway's address, the key or a placeholder, and a model's name for the key. */
interface SnippetValues {
  readonly origin: string;
  readonly key: string;
  readonly model: string;
  readonly kind: Model["kind"];
}

type SnippetPlace = Pick<SnippetValues, "origin" | "key">;
type KeyNames = Pick<Key, "aliases" | "models">;

/** A name that works with this key: its first alias of a chat model, else the first chat model, else any model. */
export function snippetModel(key: KeyNames, models: readonly Model[]): Pick<SnippetValues, "model" | "kind"> | null {
  const allowed = models.filter(({ id }) => modelFilter(key.models)(id));
  const aliased = key.aliases.flatMap(({ name, model }) => {
    const target = allowed.find(({ id }) => id === model);
    return target === undefined ? [] : [{ model: name, kind: target.kind }];
  });
  const names = [...aliased, ...allowed.map(({ id, kind }) => ({ model: id, kind }))];
  return names.find(({ kind }) => kind === "chat") ?? names[0] ?? null;
}

/** Snippets of a first call, one for each language and client. */
export function keySnippets(values: SnippetValues): ProgramSnippet[] {
  return SNIPPETS[values.kind](values);
}

const SNIPPETS: Readonly<Record<Model["kind"], (values: SnippetValues) => ProgramSnippet[]>> = {
  chat: chatSnippets,
  decision: decisionSnippets,
  embedding: embeddingSnippets,
  speech: speechSnippets,
  image: imageSnippets,
  rerank: rerankSnippets,
  transcription: transcriptionSnippets,
  moderation: moderationSnippets,
};

function rerankSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `${curlTo("rerank", { origin, key })} \\
  -d '{"model": "${model}", "query": "When do trains leave?", "documents": ["Trains leave hourly.", "Cats sleep."]}'`;
  const typescript = `import { CohereClientV2 } from "cohere-ai";

const client = new CohereClientV2({
  environment: "${origin}",
  token: "${key}",
});

const answer = await client.rerank({
  model: "${model}",
  query: "When do trains leave?",
  documents: ["Trains leave hourly.", "Cats sleep."],
});
console.log(answer.results[0]?.index);`;
  return inBoth({ origin, key, curl, typescript });
}

function moderationSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `${curlTo("moderations", { origin, key })} \\
  -d '{"model": "${model}", "input": "A text to judge."}'`;
  const typescript = `${openaiClient({ origin, key })}

const answer = await client.moderations.create({
  model: "${model}",
  input: "A text to judge.",
});
console.log(answer.results[0]?.flagged);`;
  return inBoth({ origin, key, curl, typescript });
}

function embeddingSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `${curlTo("embeddings", { origin, key })} \\
  -d '{"model": "${model}", "input": ["The first text.", "The second one."]}'`;
  const typescript = `${openaiClient({ origin, key })}

const answer = await client.embeddings.create({
  model: "${model}",
  input: ["The first text.", "The second one."],
});
console.log(answer.data.length);`;
  return inBoth({ origin, key, curl, typescript });
}

function transcriptionSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `curl ${origin}/v1/audio/transcriptions \\
  -H "authorization: Bearer ${key}" \\
  -F model=${model} \\
  -F file=@speech.wav`;
  const typescript = `${openaiClient({ origin, key })}

const answer = await client.audio.transcriptions.create({
  model: "${model}",
  file: await fetch("https://example.com/speech.wav"),
});
console.log(answer.text);`;
  return inBoth({ origin, key, curl, typescript });
}

function imageSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `${curlTo("images/generations", { origin, key })} \\
  -d '{"model": "${model}", "prompt": "A lighthouse by the sea, as a woodcut"}'`;
  const typescript = `${openaiClient({ origin, key })}

const answer = await client.images.generate({
  model: "${model}",
  prompt: "A lighthouse by the sea, as a woodcut",
});
console.log(answer.data?.length);`;
  return inBoth({ origin, key, curl, typescript });
}

function speechSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `${curlTo("audio/speech", { origin, key })} \\
  -o speech.wav \\
  -d '{"model": "${model}", "input": "The trains leave every hour.", "voice": "coral", "response_format": "wav"}'`;
  const typescript = `${openaiClient({ origin, key })}

const answer = await client.audio.speech.create({
  model: "${model}",
  input: "The trains leave every hour.",
  voice: "coral",
  response_format: "wav",
});
console.log((await answer.arrayBuffer()).byteLength);`;
  return inBoth({ origin, key, curl, typescript });
}

function chatSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  return [
    curlSnippet(`${curlTo("chat/completions", { origin, key })} \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Say hello."}]
  }'`),
    typescriptSnippet(`${openaiClient({ origin, key })}

const completion = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Say hello." }],
});
console.log(completion.choices[0]?.message.content);`),
    {
      id: "typescript-anthropic",
      label: "TypeScript (Anthropic)",
      code: `import Anthropic from "@anthropic-ai/sdk";

// This SDK adds /v1 itself.
const client = new Anthropic({
  baseURL: "${origin}",
  apiKey: "${key}",
});

const message = await client.messages.create({
  model: "${model}",
  max_tokens: 256,
  messages: [{ role: "user", content: "Say hello." }],
});
console.log(message.content);`,
    },
    {
      id: "python",
      label: "Python",
      code: `from openai import OpenAI

client = OpenAI(
    base_url="${origin}/v1",
    api_key="${key}",
)

completion = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(completion.choices[0].message.content)`,
    },
    {
      id: "python-anthropic",
      label: "Python (Anthropic)",
      code: `from anthropic import Anthropic

# Without /v1: this SDK adds it.
client = Anthropic(
    base_url="${origin}",
    api_key="${key}",
)

message = client.messages.create(
    model="${model}",
    max_tokens=256,
    messages=[{"role": "user", "content": "Say hello."}],
)
print(message.content)`,
    },
    {
      id: "claude-code",
      label: "Claude Code",
      code: `export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=${key}
export ANTHROPIC_MODEL=${model}
claude`,
    },
    {
      id: "codex",
      label: "Codex",
      code: `# In ~/.codex/config.toml; the key comes from the environment:
#   export CAMINO_API_KEY=${key}
model = "${model}"
model_provider = "camino"

[model_providers.camino]
name = "Camino"
base_url = "${origin}/v1"
env_key = "CAMINO_API_KEY"
wire_api = "responses"`,
    },
    environment({ origin, key }),
  ];
}

/** The lines of a call by curl up to its body. */
function curlTo(path: string, { origin, key }: SnippetPlace): string {
  return `curl ${origin}/v1/${path} \\
  -H "authorization: Bearer ${key}" \\
  -H "content-type: application/json"`;
}

/** The lines of a program in TypeScript up to its first call. */
function openaiClient({ origin, key }: SnippetPlace): string {
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${origin}/v1",
  apiKey: "${key}",
});`;
}

function decisionSnippets({ origin, key, model }: SnippetValues): ProgramSnippet[] {
  const curl = `${curlTo("decisions", { origin, key })} \\
  -d '{
    "model": "${model}",
    "input": "My invoice was charged twice.",
    "questions": [{"type": "predicate", "instructions": "Is the customer asking for money back?"}]
  }'`;
  const typescript = `${openaiClient({ origin, key })}

const decision = await client.decisions.create({
  model: "${model}",
  input: "My invoice was charged twice.",
  questions: [{ type: "predicate", instructions: "Is the customer asking for money back?" }],
});
console.log(decision.answers);`;
  return inBoth({ origin, key, curl, typescript });
}

/** A call by curl and by a program in TypeScript, and the environment of others. */
function inBoth({
  curl,
  typescript,
  ...of
}: SnippetPlace & { readonly curl: string; readonly typescript: string }): ProgramSnippet[] {
  return [curlSnippet(curl), typescriptSnippet(typescript), environment(of)];
}

function curlSnippet(code: string): ProgramSnippet {
  return { id: "curl", label: "curl", code };
}

function typescriptSnippet(code: string): ProgramSnippet {
  return { id: "typescript", label: "TypeScript", code };
}

function environment({ origin, key }: SnippetPlace): ProgramSnippet {
  return {
    id: "environment",
    label: "Environment",
    code: `# OpenAI's SDKs and most other tools
OPENAI_BASE_URL=${origin}/v1
OPENAI_API_KEY=${key}

# Anthropic's SDKs, without /v1
ANTHROPIC_BASE_URL=${origin}
ANTHROPIC_API_KEY=${key}`,
  };
}
