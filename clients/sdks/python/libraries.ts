import type { Client } from "../../client.ts";
import { pythonClient } from "./index.ts";

/** Libraries for Python, at the versions that were current when they were written down here. */
export const PYTHON_CLIENTS: readonly Client[] = [
  pythonClient({
    id: "openai-python",
    name: "openai-python",
    packages: { openai: "2.54.0" },
    script: "try_openai",
    settings: `\`\`\`python
client = OpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
\`\`\``,
  }),
  pythonClient({
    id: "anthropic-python",
    name: "anthropic-python",
    packages: { anthropic: "2.12.0" },
    script: "try_anthropic",
    settings: `The SDK adds \`/v1\` itself.

\`\`\`python
client = Anthropic(base_url="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"])
\`\`\``,
  }),
  pythonClient({
    id: "langchain-python",
    name: "LangChain (Python)",
    packages: { "langchain-openai": "1.7.3", "langchain-anthropic": "1.7.7" },
    script: "try_langchain",
    settings: `\`\`\`python
ChatOpenAI(model="…", base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
ChatAnthropic(model="…", base_url="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"])
\`\`\``,
  }),
  pythonClient({
    id: "pydantic-ai",
    name: "Pydantic AI",
    packages: { "pydantic-ai-slim[openai,anthropic]": "2.68.0" },
    script: "try_pydantic_ai",
    settings: `\`\`\`python
OpenAIChatModel("…", provider=OpenAIProvider(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"]))
\`\`\``,
  }),
  pythonClient({
    id: "openai-agents-python",
    name: "OpenAI Agents SDK (Python)",
    packages: { "openai-agents": "0.20.0" },
    script: "try_openai_agents",
    settings: `\`\`\`python
client = AsyncOpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
Agent(name="…", model=OpenAIResponsesModel(model="…", openai_client=client))
set_tracing_disabled(True)  # Traces go to OpenAI, with a key of its own.
\`\`\``,
  }),
  pythonClient({
    id: "litellm",
    name: "LiteLLM",
    packages: { litellm: "1.106.0" },
    script: "try_litellm",
    settings: `\`\`\`python
litellm.completion(model="openai/…", api_base="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"], …)
litellm.completion(model="anthropic/…", api_base="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"], …)
\`\`\``,
  }),
  pythonClient({
    id: "llama-index",
    name: "LlamaIndex",
    packages: {
      "llama-index-core": "0.14.25",
      "llama-index-llms-openai-like": "0.8.1",
      "llama-index-llms-anthropic": "0.12.3",
    },
    script: "try_llama_index",
    settings: `\`\`\`python
OpenAILike(model="…", api_base="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"], is_chat_model=True)
Anthropic(model="…", base_url="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"])
\`\`\``,
  }),
  pythonClient({
    id: "instructor",
    name: "Instructor",
    packages: { instructor: "1.17.0", openai: "2.54.0", anthropic: "2.12.0" },
    script: "try_instructor",
    settings: `\`\`\`python
instructor.from_openai(OpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"]))
\`\`\``,
  }),
];
