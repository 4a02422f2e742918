import type { Endpoint, Model } from "../../../../contract/models.ts";

/** The endpoints of the playground, as the address names them (`?style=`). */
export type ChatStyle = "chat" | "responses" | "messages";
export type DecisionShape = "decisions" | "systemone";
/** What models do that neither converse nor decide. */
export type Task = "images" | "speech" | "embeddings" | "rerank";
export type Style = ChatStyle | DecisionShape | Task;

export interface StyleInfo {
  readonly id: Style;
  readonly label: string;
  readonly endpoint: Endpoint;
  readonly path: string;
}

export const STYLES: Readonly<Record<Style, StyleInfo>> = {
  chat: { id: "chat", label: "Chat completions", endpoint: "chat.completions", path: "/v1/chat/completions" },
  responses: { id: "responses", label: "Responses", endpoint: "responses", path: "/v1/responses" },
  messages: { id: "messages", label: "Messages", endpoint: "messages", path: "/v1/messages" },
  decisions: { id: "decisions", label: "Decisions", endpoint: "decisions", path: "/v1/decisions" },
  systemone: { id: "systemone", label: "System One", endpoint: "systemone", path: "/v1/systemone" },
  images: { id: "images", label: "Images", endpoint: "images.generations", path: "/v1/images/generations" },
  speech: { id: "speech", label: "Speech", endpoint: "audio.speech", path: "/v1/audio/speech" },
  embeddings: { id: "embeddings", label: "Embeddings", endpoint: "embeddings", path: "/v1/embeddings" },
  rerank: { id: "rerank", label: "Ranking", endpoint: "rerank", path: "/v1/rerank" },
};

/** The styles that a model can be called in, in the order in which they are offered. */
export function stylesOf(model: Pick<Model, "endpoints">): StyleInfo[] {
  return Object.values(STYLES).filter(({ endpoint }) => model.endpoints.includes(endpoint));
}

export function isChat(style: Style): style is ChatStyle {
  return style === "chat" || style === "responses" || style === "messages";
}

export function isShape(style: Style): style is DecisionShape {
  return style === "decisions" || style === "systemone";
}
