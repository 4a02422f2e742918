/** Markdown for docs/clients.md about editors, which want a screen and an account and cannot be installed here: what their own documentation says, of the day that it names. */
export const EDITORS = `## Cursor and Zed: their requests are tried

Both are programs for a desktop, and Cursor needs an account: no registry of packages has either, and no test here can run them. What follows is what their own documentation, and Zed's
sources, said in November 2026. In their place tests send what they send, and read the answers as they do.

### Cursor

In *Cursor Settings*, *Models*, *API Keys*: switch *OpenAI API Key* on and give it a key of the gateway; switch *Override OpenAI Base URL* on and give it
\`https://models.example.com/v1\`; then add a model by its id. Four things to know before:

- The requests come from Cursor's servers, so the gateway needs an address that the internet reaches: \`127.0.0.1\` and addresses of a private network are refused.
- The override counts for every OpenAI model of Cursor while it is on. There is none for Anthropic's: add a Claude as a model of the override.
- Completion while you type, and parts of the agent, stay with Cursor's own models. Newer versions hide the override or tie it to a paid plan.
- The agent sends bodies of \`/v1/responses\` to \`/v1/chat/completions\` and reads chunks of chat completions. The gateway takes such bodies and answers so
  ([rulings.md](rulings.md), 14b): a test sends what Cursor's users have recorded, with a tool's call and its result, to models of every protocol. With tools of the type \`custom\` the answer has calls of that type, which not every version of Cursor reads.

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
            "capabilities": { "tools": true, "images": true, "parallel_tool_calls": true, "prompt_cache_key": true }
          }
        ]
      }
    }
  }
}
\`\`\`

\`max_tokens\` is the model's context. Where \`capabilities\` are given, name all four. \`"chat_completions": false\` among the capabilities has Zed speak responses. \`anthropic_compatible\` in place of \`openai_compatible\`
speaks messages, with the address without \`/v1\` and models without \`capabilities\`.

How it was checked: the fields against the types that read them in Zed's sources (\`OpenAiCompatibleSettingsContent\` and what it holds), and a test (\`proofs/suites/clients/zed-requests.test.ts\`) that sends what
Zed's agent sends by each of the three protocols, a tool's call and its result among it, to models of vendors of every protocol, and reads the streams with the fields that Zed's reader
requires. Zed itself was not run.`;
