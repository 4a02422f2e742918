import type { DocumentPart, ImagePart, ToolMessage } from "../../core/generation.ts";
import type { ContentDialect } from "./dialect.ts";
import { encodeMedia } from "./encode-media.ts";
import type { Part } from "./wire.ts";

/**
 * One tool's result. Its images and documents go inside it where the model supports that and their bytes are in the
 * request, else beside it.
 */
export function encodeToolResult(
  message: ToolMessage,
  name: string,
  { call_ids, is_gemini_3 }: ContentDialect,
): readonly Part[] {
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const media = message.content.filter((part) => part.type !== "text");
  const inside = is_gemini_3 ? media.filter(isInline) : [];
  const beside = is_gemini_3 ? media.filter((part) => !isInline(part)) : media;
  const result: Part = {
    functionResponse: {
      ...(call_ids ? { id: message.call_id } : {}),
      name,
      response: { [message.is_error ? "error" : "output"]: text },
      ...(inside.length > 0 ? { parts: inside.flatMap(inlinePart) } : {}),
    },
  };
  return [result, ...beside.map(encodeMedia)];
}

function isInline({ source }: ImagePart | DocumentPart): boolean {
  return source.kind === "base64";
}

function inlinePart(part: ImagePart | DocumentPart) {
  const { inlineData } = encodeMedia(part);
  return inlineData === undefined ? [] : [{ inlineData }];
}
