/**
 * Markdown for docs/clients.md about programs that cannot be installed here: editors, which want a screen and an account, and one that brings gigabytes. What it says is what their own documentation
 * says, of the day that it names.
 */
export const EDITORS = `## Cursor, Zed and Open WebUI: their requests are tried

Cursor and Zed are programs for a desktop, and Cursor needs an account: no registry of packages has either, and no test here can run them. Open WebUI brings gigabytes of models for its own
machine. What follows is what their own documentation, and Zed's and Open WebUI's sources, said in November 2026. In their place tests send what they send, and read the answers as they do.

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
requires. Zed itself was not run.

### Open WebUI

For chats, add a connection of the type OpenAI with \`http://127.0.0.1:8787/v1\` and a key. For images, speech and dictation, in *Admin Settings* or in its environment:

| Variable | Value |
| --- | --- |
| \`IMAGE_GENERATION_ENGINE\`, \`AUDIO_TTS_ENGINE\`, \`AUDIO_STT_ENGINE\` | \`openai\` |
| \`IMAGES_OPENAI_API_BASE_URL\`, \`AUDIO_TTS_OPENAI_API_BASE_URL\`, \`AUDIO_STT_OPENAI_API_BASE_URL\` | \`http://127.0.0.1:8787/v1\` |
| \`IMAGES_OPENAI_API_KEY\`, \`AUDIO_TTS_OPENAI_API_KEY\`, \`AUDIO_STT_OPENAI_API_KEY\` | the key |
| \`IMAGE_GENERATION_MODEL\`, \`AUDIO_TTS_MODEL\`, \`AUDIO_STT_MODEL\` | models of the gateway: \`openai/gpt-image-1.5\` and so on |
| \`IMAGE_URL_RESPONSE_MODELS_REGEX_PATTERN\` | \`gpt-image\` |

The pattern matters: for models that it does not match, Open WebUI sends \`response_format\`, which OpenAI's newer image models refuse. By itself it expects names that begin with
\`gpt-image\`; in place of the pattern, give the key such an alias.

How it was checked: a test (\`proofs/suites/clients/open-webui-requests.test.ts\`) sends what its \`routers/images.py\` and \`routers/audio.py\` send, to vendors of chat completions and Gemini, and reads
the answers by the members that they read. Open WebUI itself was not run.`;
