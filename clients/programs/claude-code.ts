import { strict as assert } from "node:assert";
import type { Client } from "../client.ts";
import { lastWords, type Session } from "../session.ts";

/** What a user sets, and what keeps the program from asking anybody but the gateway. */
function settings(session: Session, model: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: session.url,
    ANTHROPIC_AUTH_TOKEN: session.key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  };
}

export const claudeCode: Client = {
  id: "claude-code",
  name: "Claude Code",
  install: { from: "npm", packages: { "@anthropic-ai/claude-code": "2.1.330" } },
  settings: `
\`\`\`sh
export ANTHROPIC_BASE_URL=http://127.0.0.1:8787
export ANTHROPIC_AUTH_TOKEN=$CAMINO_API_KEY
export ANTHROPIC_MODEL=anthropic/claude-sonnet-4-6
export ANTHROPIC_DEFAULT_HAIKU_MODEL=anthropic/claude-haiku-4-5   # titles and other small work
claude
\`\`\``,
  scenarios: [
    {
      name: "answers",
      async run(session) {
        const ended = await session.run("claude", ["-p", "Say hello."], {
          env: settings(session, session.model("echo")),
        });
        assert.equal(ended.status, 0, lastWords(ended));
        assert.match(ended.stdout, /Simulated/);
      },
    },
  ],
};
