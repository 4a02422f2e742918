import type { Client } from "../../client.ts";
import { KINDS, type ModelKind } from "../../models.ts";
import { failures } from "./failures.ts";
import { RECIPE_MODEL, work } from "./work.ts";

export const codex: Client = {
  id: "codex",
  name: "Codex",
  install: { from: "npm", packages: { "@openai/codex": "0.171.0" } },
  settings: `
In \`~/.codex/config.toml\`:

\`\`\`toml
model = "openai/gpt-5.5"
model_provider = "camino"

[model_providers.camino]
name = "Camino"
base_url = "http://127.0.0.1:8787/v1"
env_key = "CAMINO_API_KEY"
wire_api = "responses"
\`\`\`

or, in place of the provider, \`openai_base_url = "http://127.0.0.1:8787/v1"\` and \`codex login --with-api-key\`: Codex then tries
a WebSocket first, which Camino refuses in the way that Codex falls back from at once.

Any model will do. Codex has its tool \`apply_patch\` for names that it knows (\`gpt-5.5\`, also with a vendor before it); of others
it warns that it has no metadata, and changes files by commands. Set \`model_context_window\` for them, so that it compacts in time.
It offers its vendor's \`web_search\` in each request: a model of responses needs a price for these calls
(\`price.calls.web_search\`, which the bundled ones have), or Codex \`web_search = "disabled"\`.
It asks GitHub and ChatGPT for plugins and apps unless \`[features]\` has \`apps = false\` and \`plugins = false\`.`,
  models: { "gpt-5.5": KINDS.agent as ModelKind, [RECIPE_MODEL]: KINDS.agent as ModelKind },
  scenarios: [...work, ...failures],
};
