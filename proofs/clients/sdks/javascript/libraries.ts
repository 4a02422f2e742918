import type { Client } from "../../client.ts";
import { NO_EMBEDDINGS, NO_RANKING } from "../../media-models.ts";
import { javaScriptClient } from "./index.ts";

/** JavaScript libraries, at the versions that were current when they were added here. */
export const JAVASCRIPT_CLIENTS: readonly Client[] = [
  javaScriptClient({
    id: "openai-ts",
    name: "openai (TypeScript)",
    packages: { openai: "7.57.0" },
    script: "try-openai",
    settings: `\`\`\`ts
import OpenAI from "openai";

const client = new OpenAI({ baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
const response = await client.responses.create({ model: "openai/gpt-5.5", input: "Say hello." });
console.log(response.output_text);
\`\`\``,
  }),
  javaScriptClient({
    id: "anthropic-ts",
    name: "@anthropic-ai/sdk",
    packages: { "@anthropic-ai/sdk": "1.14.0" },
    script: "try-anthropic",
    settings: `The SDK adds \`/v1\` itself.

\`\`\`ts
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "http://127.0.0.1:8787", apiKey: process.env.CAMINO_API_KEY });
const message = await client.messages.create({
  model: "anthropic/claude-sonnet-5-5",
  max_tokens: 256,
  messages: [{ role: "user", content: "Say hello." }],
});
console.log(message.content);
\`\`\``,
  }),
  javaScriptClient({
    id: "ai-sdk",
    name: "AI SDK",
    packages: {
      ai: "7.0.173",
      "@ai-sdk/openai": "4.0.118",
      "@ai-sdk/openai-compatible": "3.0.92",
      "@ai-sdk/anthropic": "4.0.105",
      zod: "4.6.7",
    },
    script: "try-ai-sdk",
    settings: `Any of its providers; Anthropic's wants \`/v1\` in the address, too.

\`\`\`ts
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const gateway = { baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY };
const models = [
  createOpenAI(gateway)("openai/gpt-5.5"),
  createOpenAICompatible({ name: "camino", ...gateway })("openai/gpt-5.5"),
  createAnthropic(gateway)("anthropic/claude-sonnet-5-5"),
];
for (const model of models) console.log((await generateText({ model, prompt: "Say hello." })).text);
\`\`\``,
  }),
  javaScriptClient({
    id: "openrouter-sdk",
    name: "@openrouter/sdk",
    packages: { "@openrouter/sdk": "1.3.19" },
    script: "try-openrouter",
    settings: `Chat and responses. Its lists of models, credits and generations are OpenRouter's own and are not here.

\`\`\`ts
import { OpenRouter } from "@openrouter/sdk";

const client = new OpenRouter({ serverURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
const messages = [{ role: "user", content: "Say hello." }];
const answer = await client.chat.send({ chatRequest: { model: "openai/gpt-5.5", messages } });
console.log(answer.choices[0].message.content);
\`\`\``,
  }),
  javaScriptClient({
    id: "openai-agents-ts",
    name: "OpenAI Agents SDK (TypeScript)",
    packages: { "@openai/agents": "0.20.0", openai: "7.57.0", zod: "4.6.7" },
    script: "try-agents",
    settings: `\`\`\`ts
import { Agent, OpenAIResponsesModel, run, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

setTracingDisabled(true); // Traces go to OpenAI, with its own key.
const client = new OpenAI({ baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
const agent = new Agent({ name: "Greeter", model: new OpenAIResponsesModel(client, "openai/gpt-5.5") });
console.log((await run(agent, "Say hello.")).finalOutput);
\`\`\``,
  }),
  javaScriptClient({
    id: "langchain-ts",
    name: "LangChain (TypeScript)",
    packages: {
      "@langchain/openai": "1.6.0",
      "@langchain/anthropic": "1.5.11",
      "@langchain/core": "1.2.13",
      zod: "4.6.7",
    },
    script: "try-langchain",
    settings: `\`\`\`ts
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";

const apiKey = process.env.CAMINO_API_KEY;
const configuration = { baseURL: "http://127.0.0.1:8787/v1" };
const gpt = new ChatOpenAI({ model: "openai/gpt-5.5", apiKey, configuration });
const claude = new ChatAnthropic({ model: "anthropic/claude-sonnet-5-5", apiKey, anthropicApiUrl: "http://127.0.0.1:8787" });
for (const model of [gpt, claude]) console.log((await model.invoke("Say hello.")).text);
\`\`\`

For embeddings, \`new OpenAIEmbeddings({ model: "openai/text-embedding-3-small", apiKey, configuration })\`.`,
    besides: { name: "an embedding store", script: "try-langchain-embeddings", except: NO_EMBEDDINGS },
  }),
  javaScriptClient({
    id: "google-genai-ts",
    name: "@google/genai",
    packages: { "@google/genai": "3.3.0" },
    script: "try-google-genai",
    settings: `The SDK adds \`/v1beta\` itself.

\`\`\`ts
import { GoogleGenAI } from "@google/genai";

const httpOptions = { baseUrl: "http://127.0.0.1:8787" };
const client = new GoogleGenAI({ apiKey: process.env.CAMINO_API_KEY, httpOptions });
const answer = await client.models.generateContent({ model: "openai/gpt-5.5", contents: "Say hello." });
console.log(answer.text);
\`\`\``,
  }),
  javaScriptClient({
    id: "cohere-ts",
    name: "cohere-ai",
    packages: { "cohere-ai": "8.1.0" },
    script: "try-cohere",
    except: NO_RANKING,
    settings: `Ranking. The SDK adds \`/v2\` itself, and \`/v1\` in its older client; both are served.

\`\`\`ts
import { CohereClientV2 } from "cohere-ai";

const client = new CohereClientV2({ environment: "http://127.0.0.1:8787", token: process.env.CAMINO_API_KEY });
const documents = ["Cats sleep.", "Trains leave hourly."];
const answer = await client.rerank({ model: "sim/rank", query: "When do trains leave?", documents });
console.log(answer.results[0].index);
\`\`\``,
  }),
];
