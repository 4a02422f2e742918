import type { Client } from "../../client.ts";
import { KINDS, type ModelKind } from "../../models.ts";
import { failures } from "./failures.ts";
import { RECIPE_MODEL, work } from "./work.ts";

const AGENT = KINDS.agent as ModelKind & { readonly entry: object };
const CAPABILITIES = "capabilities" in AGENT.entry ? (AGENT.entry.capabilities as object) : {};

export const claudeCode: Client = {
  id: "claude-code",
  name: "Claude Code",
  install: { from: "npm", packages: { "@anthropic-ai/claude-code": "2.1.332" } },
  settings: `
\`\`\`sh
export ANTHROPIC_BASE_URL=http://127.0.0.1:8787
export ANTHROPIC_AUTH_TOKEN=$CAMINO_API_KEY
export ANTHROPIC_MODEL=anthropic/claude-sonnet-5-5
export ANTHROPIC_DEFAULT_HAIKU_MODEL=anthropic/claude-haiku-5-5   # titles and other small work
claude
\`\`\`

Any model will do. Of names that it does not know Claude Code says so once and assumes a context of 1 M tokens; set
\`CLAUDE_CODE_AUTO_COMPACT_WINDOW\` to the model's context then, so that it compacts in time. To keep it from asking its makers
about updates and the like, set \`CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1\`.

To choose among the gateway's models with \`/model\`, set \`CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1\`. Claude Code lists the ids that begin with
\`claude\` or \`anthropic\`: for a model of another vendor, give the key an alias such as \`anthropic-fast\`.`,
  models: {
    [RECIPE_MODEL]: AGENT,
    // Claude Code decides by the model's name: it sends system reminders to older models as the user's text, to newer
    // models as system messages.
    "claude-sonnet-4-5": AGENT,
    "claude-opus-4-8": {
      upstream: "agent@mid_system=1",
      entry: { ...AGENT.entry, capabilities: { ...CAPABILITIES, mid_system: true } },
    },
  },
  scenarios: [...work, ...failures],
};
