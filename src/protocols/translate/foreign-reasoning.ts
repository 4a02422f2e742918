import type { AssistantPart, GenerationRequest, Message, OpaqueFamily } from "../../core/generation.ts";

type IsForeign = (part: AssistantPart) => boolean;

/**
 * The request without opaque reasoning of other families (docs/rulings.md 12). Reasoning without visible text is
 * removed whole; visible text stays, for targets that take it back.
 */
export function withoutForeignReasoning(
  request: GenerationRequest,
  families: readonly OpaqueFamily[],
): GenerationRequest {
  const isForeign: IsForeign = (part) =>
    "opaque" in part && part.opaque !== undefined && !families.includes(part.opaque.family);
  if (!request.messages.some((message) => holdsForeign(message, isForeign))) return request;
  const messages = request.messages.map((message) => cleaned(message, isForeign)).filter((message) => message !== null);
  return { ...request, messages };
}

function holdsForeign(message: Message, isForeign: IsForeign): boolean {
  return message.role === "assistant" && message.content.some(isForeign);
}

/** Null for an answer that held nothing but foreign reasoning. */
function cleaned(message: Message, isForeign: IsForeign): Message | null {
  if (message.role !== "assistant" || !holdsForeign(message, isForeign)) return message;
  const content: AssistantPart[] = [];
  for (const part of message.content) {
    if (!isForeign(part)) content.push(part);
    else if (part.type !== "reasoning" || part.text !== "") content.push(withoutOpaque(part));
  }
  return content.length === 0 ? null : { ...message, content };
}

function withoutOpaque(part: AssistantPart): AssistantPart {
  if (!("opaque" in part)) return part;
  const { opaque: _, ...rest } = part;
  return rest;
}
