/** Camino's vendor ids by the names of public lists of models and prices, where the two differ. */

/** By models.dev's names. */
export const MODELS_DEV_VENDORS: Readonly<Record<string, string>> = {
  togetherai: "together",
  "fireworks-ai": "fireworks",
};

/** By LiteLLM's names. */
export const LITELLM_VENDORS: Readonly<Record<string, string>> = {
  gemini: "google",
  cohere_chat: "cohere",
  dashscope: "alibaba",
  moonshot: "moonshotai",
  together_ai: "together",
  fireworks_ai: "fireworks",
  nvidia_nim: "nvidia",
  hosted_vllm: "vllm",
  lm_studio: "lmstudio",
};
