import type { Client, Scenario } from "../../client.ts";
import { NO_EMBEDDINGS, NO_RANKING } from "../../media-models.ts";
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
    packages: { openai: "3.57.0" },
    script: "try_openai",
    settings: `\`\`\`python
import os
from openai import OpenAI

client = OpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
response = client.responses.create(model="openai/gpt-5.5", input="Say hello.")
print(response.output_text)
\`\`\``,
  }),
  pythonClient({
    id: "anthropic-python",
    name: "anthropic-python",
    packages: { anthropic: "2.14.0" },
    script: "try_anthropic",
    settings: `The SDK adds \`/v1\` itself.

\`\`\`python
import os
from anthropic import Anthropic

client = Anthropic(base_url="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"])
said = [{"role": "user", "content": "Say hello."}]
message = client.messages.create(model="anthropic/claude-sonnet-5-5", max_tokens=256, messages=said)
print(message.content[0].text)
\`\`\``,
  }),
  pythonClient({
    id: "langchain-python",
    name: "LangChain (Python)",
    packages: { "langchain-openai": "1.7.4", "langchain-anthropic": "1.7.10", numpy: "2.4.6" },
    script: "try_langchain",
    settings: `\`\`\`python
import os
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

key = os.environ["CAMINO_API_KEY"]
gpt = ChatOpenAI(model="openai/gpt-5.5", base_url="http://127.0.0.1:8787/v1", api_key=key)
claude = ChatAnthropic(model="anthropic/claude-sonnet-5-5", base_url="http://127.0.0.1:8787", api_key=key)
print(gpt.invoke("Say hello.").text, claude.invoke("Say hello.").text)
\`\`\`

For embeddings, \`OpenAIEmbeddings(model="openai/text-embedding-3-small", check_embedding_ctx_length=False, base_url=…, api_key=key)\`: without that
setting it cuts texts by a list of tokens that it loads from OpenAI's host, and sends tokens, which only OpenAI's own models can read.`,
    besides: { name: "an embedding store", script: "try_langchain_embeddings", except: NO_EMBEDDINGS },
  }),
  pythonClient({
    id: "pydantic-ai",
    name: "Pydantic AI",
    packages: { "pydantic-ai-slim[openai,anthropic]": "2.68.0" },
    script: "try_pydantic_ai",
    settings: `\`\`\`python
import os
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
agent = Agent(OpenAIChatModel("openai/gpt-5.5", provider=provider))
print(agent.run_sync("Say hello.").output)
\`\`\``,
  }),
  pythonClient({
    id: "openai-agents-python",
    name: "OpenAI Agents SDK (Python)",
    packages: { "openai-agents": "0.24.0" },
    script: "try_openai_agents",
    settings: `\`\`\`python
import os
from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)  # Traces go to OpenAI, with its own key.
client = AsyncOpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
agent = Agent(name="Greeter", model=OpenAIResponsesModel(model="openai/gpt-5.5", openai_client=client))
print(Runner.run_sync(agent, "Say hello.").final_output)
\`\`\``,
  }),
  pythonClient({
    id: "semantic-kernel",
    name: "Semantic Kernel",
    packages: { "semantic-kernel": "1.45.0" },
    script: "try_semantic_kernel",
    settings: `\`\`\`python
import asyncio
import os
from openai import AsyncOpenAI
from semantic_kernel.agents import OpenAIResponsesAgent

client = AsyncOpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"])
agent = OpenAIResponsesAgent(ai_model_id="openai/gpt-5.5", client=client, name="greeter")
print(asyncio.run(agent.get_response(messages="Say hello.")).message.content)
\`\`\``,
  }),
  pythonClient({
    id: "litellm",
    name: "LiteLLM",
    packages: { "litellm[mcp]": "1.110.2" },
    script: "try_litellm",
    settings: `Its \`mcp\` extra is needed wherever it goes by responses.

\`\`\`python
import os
import litellm

key, said = os.environ["CAMINO_API_KEY"], [{"role": "user", "content": "Say hello."}]
by_chat = litellm.completion(
    model="openai/openai/gpt-5.5", api_base="http://127.0.0.1:8787/v1", api_key=key, messages=said
)
by_messages = litellm.completion(
    model="anthropic/anthropic/claude-sonnet-5-5", api_base="http://127.0.0.1:8787", api_key=key, messages=said
)
print(by_chat.choices[0].message.content, by_messages.choices[0].message.content)
\`\`\`

The first word of a name is LiteLLM's own: how it speaks. What follows is the gateway's model.`,
  }),
  pythonClient({
    id: "llama-index",
    name: "LlamaIndex",
    packages: {
      "llama-index-core": "0.14.25",
      "llama-index-llms-openai-like": "0.8.1",
      "llama-index-embeddings-openai-like": "0.4.0",
    },
    script: "try_llama_index",
    settings: `\`\`\`python
import os
from llama_index.llms.openai_like import OpenAILike

key = os.environ["CAMINO_API_KEY"]
llm = OpenAILike(model="openai/gpt-5.5", api_base="http://127.0.0.1:8787/v1", api_key=key, is_chat_model=True)
print(llm.complete("Say hello."))
\`\`\`

Its \`Anthropic\` refuses every model whose name it does not know, before it asks anyone. For embeddings,
\`OpenAILikeEmbedding(model_name="openai/text-embedding-3-small", api_base=…, api_key=key)\` of \`llama_index.embeddings.openai_like\`.`,
    besides: { name: "an embedding store", script: "try_llama_index_embeddings", except: NO_EMBEDDINGS },
  }),
  pythonClient({
    id: "instructor",
    name: "Instructor",
    packages: { instructor: "1.17.0", openai: "2.54.0", anthropic: "2.12.0" },
    script: "try_instructor",
    settings: `\`\`\`python
import os
import instructor
from openai import OpenAI
from pydantic import BaseModel


class City(BaseModel):
    city: str


client = instructor.from_openai(OpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["CAMINO_API_KEY"]))
said = [{"role": "user", "content": "Where is the Eiffel Tower?"}]
print(client.chat.completions.create(model="openai/gpt-5.5", messages=said, response_model=City))
\`\`\``,
  }),
  pythonClient({
    id: "llm-python",
    name: "llm",
    packages: { llm: "0.36" },
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
import os
from typesafe_sdk import Noul, TypeSafeClient

client = TypeSafeClient(base_url="http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"])
questions = {"refund": Noul(instructions="Is money asked back?")}
answer = client.system_one("I was charged twice.", questions, model="sim/judge-decider")
print(answer.nouls["refund"].noul)
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
import os
from systemone import Client, Noul

with Client("http://127.0.0.1:8787", api_key=os.environ["CAMINO_API_KEY"], model="sim/judge-decider") as client:
    answer = client.system_one({"ticket": "I was charged twice."}, {"refund": Noul("Is money asked back?")})
    print(answer.nouls["refund"].noul)
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
jevbench eval --url http://127.0.0.1:8787/v1/systemone --model sim/judge-decider
\`\`\``,
  }),
  pythonClient({
    id: "google-genai-python",
    name: "google-genai (Python)",
    packages: { "google-genai": "3.6.1" },
    script: "try_google_genai",
    settings: `The SDK adds \`/v1beta\` itself.

\`\`\`python
import os
from google import genai

client = genai.Client(api_key=os.environ["CAMINO_API_KEY"], http_options={"base_url": "http://127.0.0.1:8787"})
print(client.models.generate_content(model="openai/gpt-5.5", contents="Say hello.").text)
\`\`\``,
  }),
  pythonClient({
    id: "cohere-python",
    name: "cohere (Python)",
    packages: { cohere: "7.3.1" },
    script: "try_cohere",
    except: NO_RANKING,
    settings: `Ranking. The SDK adds \`/v2\` itself, and \`/v1\` in its older client; both are served.

\`\`\`python
import os
import cohere

client = cohere.ClientV2(api_key=os.environ["CAMINO_API_KEY"], base_url="http://127.0.0.1:8787")
answer = client.rerank(model="sim/rank", query="When do trains leave?", documents=["Cats sleep.", "Trains leave hourly."])
print(answer.results[0].index)
\`\`\``,
  }),
];
