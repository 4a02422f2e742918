import { endpoint, endpoints, ranking, type VendorRow, vendor } from "./vendor-row.ts";

/** The fields in which other vendors send reasoning. */
const OTHERS_REASONING = ["reasoning_content", "reasoning", "reasoning_details", "extra_content"];

/** Vendors that serve models of their own. */
export const MODEL_VENDORS: readonly VendorRow[] = [
  // Decisions: `resources/decisions` of OpenAI's own client.
  vendor("openai", "OpenAI", endpoints("https://api.openai.com/v1", ["responses", "chat-completions", "decisions"]), {
    api_key_env: ["OPENAI_API_KEY"],
    forwards_safety_identifier: true,
  }),
  vendor(
    "anthropic",
    "Anthropic",
    [{ ...endpoint("messages", "https://api.anthropic.com/v1"), later_versions: true }],
    {
      api_key_env: ["ANTHROPIC_API_KEY"],
      forwards_safety_identifier: true,
    },
  ),
  vendor(
    "google",
    "Google",
    [
      endpoint("gemini", "https://generativelanguage.googleapis.com/v1beta"),
      endpoint("chat-completions", "https://generativelanguage.googleapis.com/v1beta/openai"),
    ],
    {
      api_key_env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
      quirks: {
        no_developer_role: true,
        // Google's documentation, "Thought signatures": they come with the calls, and Google checks the first call of
        // each step.
        reasoning_replay: "extra_content",
        // Google's compatibility layer answers 400 to every unknown field.
        unsupported_fields: [
          "frequency_penalty",
          "presence_penalty",
          "logit_bias",
          "seed",
          "store",
          "metadata",
          "prediction",
          "verbosity",
          "web_search_options",
          "prompt_cache_key",
          "prompt_cache_retention",
        ],
      },
    },
  ),
  vendor("mistral", "Mistral AI", [endpoint("chat-completions", "https://api.mistral.ai/v1")], {
    api_key_env: ["MISTRAL_API_KEY"],
    quirks: {
      no_stream_options: true,
      max_tokens_only: true,
      no_developer_role: true,
      // "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9"; "Unexpected role 'user' after role 'tool'".
      strict_turns: true,
      // Mistral's thinking is a part of the content.
      unsupported_answer_fields: OTHERS_REASONING,
      // Mistral answers 422 (extra_forbidden) to unknown fields; its name for `seed` is `random_seed`.
      unsupported_fields: [
        "logprobs",
        "top_logprobs",
        "logit_bias",
        "seed",
        "store",
        "modalities",
        "audio",
        "service_tier",
        "verbosity",
        "web_search_options",
      ],
    },
  }),
  vendor(
    "deepseek",
    "DeepSeek",
    [
      endpoint("chat-completions", "https://api.deepseek.com/v1"),
      endpoint("messages", "https://api.deepseek.com/anthropic/v1"),
    ],
    {
      api_key_env: ["DEEPSEEK_API_KEY"],
      // "Fully passed back" after tool calls, or the answer is a 400, says its guide of the thinking mode.
      quirks: { max_tokens_only: true, no_developer_role: true, reasoning_replay: "reasoning_content" },
    },
  ),
  vendor("xai", "xAI", endpoints("https://api.x.ai/v1", ["responses", "chat-completions"]), {
    api_key_env: ["XAI_API_KEY"],
    // "An integer between 0 and 8", says its API reference.
    quirks: { top_logprobs: 8 },
  }),
  vendor("jina", "Jina AI", [ranking("https://api.jina.ai/v1", "jina")], { api_key_env: ["JINA_API_KEY"] }),
  vendor("voyage", "Voyage AI", [ranking("https://api.voyageai.com/v1", "voyage")], {
    api_key_env: ["VOYAGE_API_KEY"],
  }),
  vendor(
    "cohere",
    "Cohere",
    [
      endpoint("chat-completions", "https://api.cohere.ai/compatibility/v1"),
      ranking("https://api.cohere.com/v2", "cohere"),
    ],
    {
      api_key_env: ["COHERE_API_KEY", "CO_API_KEY"],
      quirks: {
        max_tokens_only: true,
        unsupported_fields: [
          "store",
          "metadata",
          "logit_bias",
          "top_logprobs",
          "n",
          "modalities",
          "prediction",
          "audio",
          "service_tier",
          "parallel_tool_calls",
        ],
      },
    },
  ),
  vendor(
    "alibaba",
    "Alibaba Cloud",
    [
      endpoint("chat-completions", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
      endpoint("messages", "https://dashscope-intl.aliyuncs.com/apps/anthropic/v1"),
    ],
    {
      api_key_env: ["DASHSCOPE_API_KEY"],
      quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
    },
  ),
  vendor(
    "moonshotai",
    "Moonshot AI",
    [
      ...endpoints("https://api.moonshot.ai/v1", ["chat-completions", "responses"]),
      endpoint("messages", "https://api.moonshot.ai/anthropic/v1", "bearer"),
    ],
    // Moonshot's thinking models refuse tool calls without the reasoning that led to them.
    { api_key_env: ["MOONSHOT_API_KEY"], quirks: { no_developer_role: true, reasoning_replay: "reasoning_content" } },
  ),
  vendor(
    "zai",
    "Z.ai",
    [
      endpoint("chat-completions", "https://api.z.ai/api/paas/v4"),
      endpoint("messages", "https://api.z.ai/api/anthropic/v1", "bearer"),
    ],
    {
      api_key_env: ["ZAI_API_KEY", "ZHIPU_API_KEY"],
      // Its guide of the thinking mode: to be returned together with the results of tools.
      quirks: { max_tokens_only: true, no_developer_role: true, reasoning_replay: "reasoning_content" },
    },
  ),
  vendor(
    "minimax",
    "MiniMax",
    [
      // Only the messages protocol separates MiniMax's reasoning from the answer: in chat completions it is inside the
      // text.
      endpoint("messages", "https://api.minimax.io/anthropic/v1", "bearer"),
      ...endpoints("https://api.minimax.io/v1", ["chat-completions", "responses"]),
    ],
    { api_key_env: ["MINIMAX_API_KEY"], quirks: { no_developer_role: true, unsupported_fields: ["n", "logit_bias"] } },
  ),
  vendor("perplexity", "Perplexity", [endpoint("chat-completions", "https://api.perplexity.ai")], {
    api_key_env: ["PERPLEXITY_API_KEY"],
    // The vendor sends usage in every chunk of a stream.
    quirks: { system_first: true, no_stream_options: true, max_tokens_only: true, no_developer_role: true },
  }),
  // Address and variable are from TypeSafe's own client (@typesafe-ai/sdk).
  vendor("typesafe", "TypeSafe", [endpoint("systemone", "https://api.typesafe.ai/v1")], {
    api_key_env: ["TYPESAFE_API_KEY"],
    quirks: { image_assets: true },
  }),
  // console.upstage.ai/api/systemone; its chat is at the same address and has not been looked at.
  vendor("upstage", "Upstage", [endpoint("systemone", "https://api.upstage.ai/v1")], {
    api_key_env: ["UPSTAGE_API_KEY"],
  }),
];
