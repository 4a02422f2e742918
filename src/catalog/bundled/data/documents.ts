import alibaba from "./alibaba.yaml" with { type: "text" };
import anthropic from "./anthropic.yaml" with { type: "text" };
import cerebras from "./cerebras.yaml" with { type: "text" };
import cohere from "./cohere.yaml" with { type: "text" };
import deepseek from "./deepseek.yaml" with { type: "text" };
import google from "./google.yaml" with { type: "text" };
import groq from "./groq.yaml" with { type: "text" };
import minimax from "./minimax.yaml" with { type: "text" };
import mistral from "./mistral.yaml" with { type: "text" };
import moonshotai from "./moonshotai.yaml" with { type: "text" };
import openai from "./openai.yaml" with { type: "text" };
import voyage from "./voyage.yaml" with { type: "text" };
import xai from "./xai.yaml" with { type: "text" };
import zai from "./zai.yaml" with { type: "text" };

/** The documents of the bundled catalogue, by vendor id. They are in the configuration file's own schema. */
export const BUNDLED_DOCUMENTS: Readonly<Record<string, string>> = {
  alibaba,
  anthropic,
  cerebras,
  cohere,
  deepseek,
  google,
  groq,
  minimax,
  mistral,
  moonshotai,
  openai,
  voyage,
  xai,
  zai,
};
