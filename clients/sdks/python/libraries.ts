import type { Client, Scenario } from "../../client.ts";
import { pythonClient } from "./index.ts";

const DECIDES: NonNullable<Scenario["except"]> = Object.fromEntries(
  (["responses", "messages", "gemini", "bedrock-converse"] as const).map((protocol) => [
    protocol,
    "decisions are tried with the log-probabilities of chat completions, and with vendors of `/v1/decisions` and `/v1/systemone`",
  ]),
);

/** Python libraries, at the versions that were current when they were added here. */
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
    packages: { "litellm[mcp]": "1.106.0" },
    script: "try_litellm",
    settings: `Its \`mcp\` extra is needed wherever it goes by responses.

\`\`\`python
litellm.completion(model="openai/…", api_base="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"], …)
litellm.completion(model="anthropic/…", api_base="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"], …)
\`\`\``,
  }),
  pythonClient({
    id: "llama-index",
    name: "LlamaIndex",
    packages: { "llama-index-core": "0.14.25", "llama-index-llms-openai-like": "0.8.1" },
    script: "try_llama_index",
    settings: `\`\`\`python
OpenAILike(model="…", api_base="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"], is_chat_model=True)
\`\`\`

Its \`Anthropic\` refuses every model whose name it does not know, before it asks anybody.`,
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
  pythonClient({
    id: "llm-python",
    name: "llm",
    packages: { llm: "0.32.1" },
    script: "try_llm",
    settings: `In \`extra-openai-models.yaml\`, in the folder of \`llm\` (\`dirname "$(llm logs path)"\`); then
\`llm keys set camino\` once, and \`llm -m camino-gpt\`:

\`\`\`yaml
- model_id: camino-gpt
  model_name: openai/gpt-5.5        # any id or alias
  api_base: http://127.0.0.1:8787/v1
  api_key_name: camino
  supports_tools: true
  supports_schema: true
  vision: true
\`\`\`

With \`responses: true\` besides, it speaks responses.`,
  }),
  pythonClient({
    id: "typesafe-python",
    name: "typesafe-sdk",
    packages: { "typesafe-sdk[zstd]": "0.7.5" },
    script: "try_typesafe",
    except: DECIDES,
    settings: `The SDK adds \`/v1\` itself. The model is any decision model: of a vendor's, or
[made of a chat model](decisions.md).

\`\`\`python
TypeSafeClient(base_url="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"], model="…")
\`\`\``,
  }),
  pythonClient({
    id: "systemone-python",
    name: "systemone-client",
    packages: { "systemone-client": "0.1.0" },
    script: "try_systemone",
    except: DECIDES,
    settings: `The client adds \`/v1\` itself.

\`\`\`python
Client("http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"], model="…")
\`\`\``,
  }),
  pythonClient({
    id: "jevbench",
    name: "JevBench",
    packages: { jevbench: "0.1.0" },
    script: "try_jevbench",
    except: DECIDES,
    settings: `\`\`\`sh
export JEVBENCH_API_KEY=$CAMINO_API_KEY
jevbench eval --url http://127.0.0.1:8787/v1/systemone --model …
\`\`\``,
  }),
];
