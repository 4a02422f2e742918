/** The public endpoints, by the names that receipts, metrics and error tables use. */

export type ErrorStyle = "a" | "b" | "c";

export type GenerationEndpoint = "chat.completions" | "responses" | "messages" | "generateContent";
export type DecisionEndpoint = "decisions" | "systemone";
/** The endpoints beside the three styles whose requests go to vendors as they come, or translated. */
export type ModelEndpoint =
  | "completions"
  | "embeddings"
  | "rerank"
  | "moderations"
  | "responses.compact"
  | "audio.speech"
  | "images.generations"
  | "images.edits"
  | "audio.transcriptions"
  | "audio.translations";
export type BilledEndpoint = GenerationEndpoint | ModelEndpoint | DecisionEndpoint;

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
