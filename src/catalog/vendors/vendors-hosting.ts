import { endpoint, endpoints, type VendorRow, vendor } from "./vendor-row.ts";

const VERTEX = "https://aiplatform.googleapis.com/v1/projects/${GOOGLE_VERTEX_PROJECT}/locations/global/publishers";
const BEDROCK = "https://bedrock-runtime.${AWS_REGION}.amazonaws.com";

/** Vendors that host, or route to, the models of others. */
export const HOSTING_VENDORS: readonly VendorRow[] = [
  vendor(
    "azure",
    "Azure OpenAI",
    endpoints(
      "https://${AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1",
      ["responses", "chat-completions"],
      "api-key",
    ),
    { api_key_env: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"], forwards_safety_identifier: true },
  ),
  vendor("google-vertex", "Google Vertex AI", [endpoint("gemini", `${VERTEX}/google`, "google-service-account")], {
    api_key_env: ["GOOGLE_APPLICATION_CREDENTIALS"],
    quirks: { no_call_ids: true },
  }),
  vendor(
    "google-vertex-anthropic",
    "Anthropic on Vertex AI",
    [{ ...endpoint("messages", `${VERTEX}/anthropic`, "google-service-account"), dialect: "vertex" }],
    // Anthropic: signatures are valid on every platform that serves its models.
    { api_key_env: ["GOOGLE_APPLICATION_CREDENTIALS"], forwards_safety_identifier: true, issuer: "anthropic" },
  ),
  vendor("amazon-bedrock", "Amazon Bedrock", [endpoint("bedrock-converse", BEDROCK, "sigv4")], {
    api_key_env: ["AWS_BEARER_TOKEN_BEDROCK"],
    signs: "aws",
  }),
  vendor(
    "amazon-bedrock-anthropic",
    "Anthropic on Amazon Bedrock",
    [endpoint("messages", `${BEDROCK}/anthropic/v1`, "sigv4")],
    {
      api_key_env: ["AWS_BEARER_TOKEN_BEDROCK"],
      signs: "aws",
      forwards_safety_identifier: true,
      issuer: "anthropic",
    },
  ),
  vendor("groq", "Groq", endpoints("https://api.groq.com/openai/v1", ["chat-completions", "responses"]), {
    api_key_env: ["GROQ_API_KEY"],
    quirks: {
      system_first: true,
      no_developer_role: true,
      // Groq answers "property 'reasoning_content' is unsupported"; it accepts its own field, `reasoning`.
      unsupported_answer_fields: ["reasoning_content", "reasoning_details", "extra_content"],
      unsupported_fields: ["logprobs", "top_logprobs", "logit_bias", "n"],
    },
  }),
  vendor("cerebras", "Cerebras", [endpoint("chat-completions", "https://api.cerebras.ai/v1")], {
    api_key_env: ["CEREBRAS_API_KEY"],
    quirks: {
      system_first: true,
      no_developer_role: true,
      unsupported_fields: ["frequency_penalty", "presence_penalty", "logit_bias", "store", "prompt_cache_key"],
    },
  }),
  vendor("together", "Together AI", [endpoint("chat-completions", "https://api.together.xyz/v1")], {
    api_key_env: ["TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"],
    quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
  }),
  vendor(
    "fireworks",
    "Fireworks AI",
    // Both decision shapes: docs.fireworks.ai/api-reference/post-decisions and post-systemone.
    endpoints(
      "https://api.fireworks.ai/inference/v1",
      ["chat-completions", "responses", "messages", "decisions", "systemone"],
      "bearer",
    ),
    {
      api_key_env: ["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"],
      quirks: { system_first: true, no_developer_role: true },
    },
  ),
  vendor("nvidia", "NVIDIA", [endpoint("chat-completions", "https://integrate.api.nvidia.com/v1")], {
    api_key_env: ["NVIDIA_API_KEY"],
    quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
  }),
  vendor(
    "openrouter",
    "OpenRouter",
    // Decisions: openrouter.ai/docs/guides/community/typesafe-sdk.
    endpoints("https://openrouter.ai/api/v1", ["chat-completions", "responses", "messages", "systemone"], "bearer"),
    {
      api_key_env: ["OPENROUTER_API_KEY"],
      quirks: { system_first: true, reasoning_replay: "reasoning_details", takes_reasoning_object: true },
    },
  ),
  vendor(
    "huggingface",
    "Hugging Face",
    endpoints("https://router.huggingface.co/v1", ["chat-completions", "responses"]),
    { api_key_env: ["HF_TOKEN"], quirks: { system_first: true, max_tokens_only: true, no_developer_role: true } },
  ),
];
