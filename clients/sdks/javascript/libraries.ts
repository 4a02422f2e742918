import type { Client } from "../../client.ts";
import { javaScriptClient } from "./index.ts";

/** JavaScript libraries, at the versions that were current when they were added here. */
export const JAVASCRIPT_CLIENTS: readonly Client[] = [
  javaScriptClient({
    id: "openai-ts",
    name: "openai (TypeScript)",
    packages: { openai: "7.57.0" },
    script: "try-openai",
    settings: `\`\`\`ts
new OpenAI({ baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
\`\`\``,
  }),
  javaScriptClient({
    id: "anthropic-ts",
    name: "@anthropic-ai/sdk",
    packages: { "@anthropic-ai/sdk": "1.12.0" },
    script: "try-anthropic",
    settings: `The SDK adds \`/v1\` itself.

\`\`\`ts
new Anthropic({ baseURL: "http://127.0.0.1:8787", apiKey: process.env.CAMINO_API_KEY });
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
createOpenAI({ baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
createOpenAICompatible({ name: "camino", baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
createAnthropic({ baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
\`\`\``,
  }),
  javaScriptClient({
    id: "openai-agents-ts",
    name: "OpenAI Agents SDK (TypeScript)",
    packages: { "@openai/agents": "0.20.0", openai: "7.57.0", zod: "4.6.7" },
    script: "try-agents",
    settings: `\`\`\`ts
const client = new OpenAI({ baseURL: "http://127.0.0.1:8787/v1", apiKey: process.env.CAMINO_API_KEY });
new Agent({ name: "…", model: new OpenAIResponsesModel(client, "…") });
setTracingDisabled(true); // Traces go to OpenAI, with a key of its own.
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
new ChatOpenAI({ model: "…", apiKey: process.env.CAMINO_API_KEY, configuration: { baseURL: "http://127.0.0.1:8787/v1" } });
new ChatAnthropic({ model: "…", apiKey: process.env.CAMINO_API_KEY, anthropicApiUrl: "http://127.0.0.1:8787" });
\`\`\``,
  }),
];
