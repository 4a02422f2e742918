import type { Model } from "../../../../contract/models.ts";

/** What models of a kind are called in a badge; chat models, which most are, have none. */
export const KIND_BADGES: Readonly<Record<Model["kind"], string | null>> = {
  chat: null,
  embedding: "embeddings",
  rerank: "rerank",
  moderation: "moderations",
  speech: "speech",
  image: "images",
  transcription: "transcriptions",
  decision: "decisions",
};

/** Whether models of a kind have a price of output. */
export function pricesOutput(kind: Model["kind"]): boolean {
  return kind === "chat" || kind === "speech" || kind === "image" || kind === "transcription";
}
