import type { ModelKind } from "../../core/catalog/catalog.ts";
import type { Protocol } from "../../core/endpoints.ts";
import type { VendorRow } from "./vendor-row.ts";

/** The protocols in which models of a kind are asked, and what else is allowed where a vendor speaks none of them. */
export const ASKED_IN: Readonly<
  Record<ModelKind, { readonly protocols: ReadonlySet<Protocol>; readonly allowed: string }>
> = {
  chat: {
    protocols: new Set(["chat-completions", "responses", "messages", "gemini", "bedrock-converse"]),
    allowed: "a vendor with a generation protocol, or kind: decision",
  },
  decision: {
    protocols: new Set(["decisions", "systemone"]),
    allowed: "a vendor with the protocol decisions or systemone, or decide_with to make decisions of a chat model",
  },
  speech: {
    protocols: new Set(["chat-completions", "gemini"]),
    allowed: "a vendor with the protocol chat-completions or gemini",
  },
  image: {
    protocols: new Set(["chat-completions", "gemini"]),
    allowed: "a vendor with the protocol chat-completions or gemini",
  },
  transcription: { protocols: new Set(["chat-completions"]), allowed: "a vendor with the protocol chat-completions" },
  embedding: {
    protocols: new Set(["chat-completions", "gemini", "bedrock-converse"]),
    allowed: "a vendor with the protocol chat-completions, gemini or bedrock-converse",
  },
  rerank: { protocols: new Set(["rerank"]), allowed: "a vendor with the protocol rerank" },
  moderation: { protocols: new Set(["chat-completions"]), allowed: "a vendor with the protocol chat-completions" },
};

export function isAskedOf({ endpoints }: Pick<VendorRow, "endpoints">, kind: ModelKind): boolean {
  return endpoints.some(({ protocol }) => ASKED_IN[kind].protocols.has(protocol));
}
