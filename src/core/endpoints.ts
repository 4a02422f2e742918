/** The public endpoints, by the names that receipts, metrics and error tables use. */

export type ErrorStyle = "a" | "b" | "c";

const GENERATION_ENDPOINTS = ["chat.completions", "responses", "messages", "generateContent"] as const;
/** The endpoints beside the styles whose requests go to vendors as they come, or translated. */
const MODEL_ENDPOINTS = [
  "completions",
  "embeddings",
  "rerank",
  "moderations",
  "responses.compact",
  "audio.speech",
  "images.generations",
  "images.edits",
  "audio.transcriptions",
  "audio.translations",
] as const;
const DECISION_ENDPOINTS = ["decisions", "systemone"] as const;
export const BILLED_ENDPOINTS = [...GENERATION_ENDPOINTS, ...MODEL_ENDPOINTS, ...DECISION_ENDPOINTS] as const;

export type GenerationEndpoint = (typeof GENERATION_ENDPOINTS)[number];
export type ModelEndpoint = (typeof MODEL_ENDPOINTS)[number];
export type DecisionEndpoint = (typeof DECISION_ENDPOINTS)[number];
export type BilledEndpoint = (typeof BILLED_ENDPOINTS)[number];

/**
 * The wire protocols: the four public generation styles, the shapes of other models, the decision shapes, and the protocols that only
 * vendors speak. No vendor speaks `responses-in-chat`, a request in responses' shape that is answered in chat's (docs/rulings.md 14b),
 * `responses-compact`, `completions`, `embeddings`, `moderations`, `speech`, `images`, `image-edits`, `transcriptions` or `translations`: a vendor's other
 * protocols say how it is asked for them.
 */
export type Protocol =
  | "responses-in-chat"
  | "responses-compact"
  | "chat-completions"
  | "responses"
  | "messages"
  | "gemini"
  | "bedrock-converse"
  | "embeddings"
  | "speech"
  | "images"
  | "image-edits"
  | "completions"
  | "transcriptions"
  | "translations"
  | "moderations"
  | "rerank"
  | "decisions"
  | "systemone";

/** The protocols in which vendors are asked. */
export const PROTOCOLS = [
  "chat-completions",
  "responses",
  "messages",
  "gemini",
  "bedrock-converse",
  "rerank",
  "decisions",
  "systemone",
] as const satisfies readonly Protocol[];
export type SpokenProtocol = (typeof PROTOCOLS)[number];
