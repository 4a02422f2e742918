/**
 * Markdown for docs/clients.md about editors that can be tried by nobody without a screen and an account. What it says is what their own documentation
 * says, of the day that it names.
 */
export const EDITORS = `## Cursor and Zed: not tried

Both are programs for a desktop, and Cursor needs an account: no test here can run them. What follows is what their own documentation said in November 2026. The requests that
they make are those of OpenAI's chat completions, which other clients of this page were tried with.

### Cursor

In *Cursor Settings*, *Models*, *API Keys*: switch *OpenAI API Key* on and give it a key of the gateway; switch *Override OpenAI Base URL* on and give it
\`https://models.example.com/v1\`; then add a model by its id. Three things to know before:

- The requests come from Cursor's servers, so the gateway needs an address that the internet reaches: \`127.0.0.1\` and addresses of a private network are refused.
- The override counts for every OpenAI model of Cursor while it is on. There is none for Anthropic's: add a Claude as a model of the override.
- Completion while you type, and parts of the agent, stay with Cursor's own models.

### Zed

In \`settings.json\`; the key in the environment of Zed as \`CAMINO_API_KEY\` (the provider's name in capitals, and \`_API_KEY\`), or in the panel of the provider:

\`\`\`json
{
  "language_models": {
    "openai_compatible": {
      "camino": {
        "api_url": "http://127.0.0.1:8787/v1",
        "available_models": [
          {
            "name": "openai/gpt-5.5",
            "display_name": "GPT-5.5",
            "max_tokens": 400000,
            "capabilities": { "tools": true, "images": true, "parallel_tool_calls": true }
          }
        ]
      }
    }
  }
}
\`\`\`

\`max_tokens\` is the model's context. \`"chat_completions": false\` among the capabilities has Zed speak responses. \`anthropic_compatible\` in place of \`openai_compatible\`
speaks messages, with the address without \`/v1\`.`;
