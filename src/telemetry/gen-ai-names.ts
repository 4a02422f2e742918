import type { Conventions } from "../core/catalog/telemetry-settings.ts";
import type { BilledEndpoint } from "../core/endpoints.ts";

/**
 * The attributes of OpenTelemetry's conventions for generative AI, all of which are still in development: this file is the one place where they are
 * named. `latest` is what collectors ask for that know 1.37 and later; 1.36 is the last version with the provider as `gen_ai.system`.
 */
export const GEN_AI = {
  latest: {
    provider: "gen_ai.provider.name",
    cache_read: "gen_ai.usage.cache_read.input_tokens",
    cache_write: "gen_ai.usage.cache_creation.input_tokens",
  },
  "1.36": { provider: "gen_ai.system", cache_read: null, cache_write: null },
} as const satisfies Record<Conventions, object>;

export const OPERATION = "gen_ai.operation.name";
export const REQUEST_MODEL = "gen_ai.request.model";
export const RESPONSE_MODEL = "gen_ai.response.model";
export const INPUT_TOKENS = "gen_ai.usage.input_tokens";
export const OUTPUT_TOKENS = "gen_ai.usage.output_tokens";

/** Well-known names where there is one for what an endpoint does; others are allowed. */
export const OPERATIONS: Readonly<Record<BilledEndpoint, string>> = {
  "chat.completions": "chat",
  responses: "chat",
  messages: "chat",
  generateContent: "generate_content",
  completions: "text_completion",
  embeddings: "embeddings",
  rerank: "rerank",
  moderations: "moderation",
  "responses.compact": "chat",
  "audio.speech": "speech",
  "images.generations": "image_generation",
  "images.edits": "image_edit",
  "audio.transcriptions": "transcription",
  "audio.translations": "translation",
  decisions: "decision",
  systemone: "decision",
};

/** The names that the conventions have for vendors that are called otherwise here. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "google-vertex-anthropic": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  "amazon-bedrock-anthropic": "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

export function providerName(vendor: string): string {
  return PROVIDERS[vendor] ?? vendor;
}
