import type {
  DocumentPart,
  ImagePart,
  RefusalPart,
  TextPart,
  ToolMessage,
  UserPart,
} from "../../core/answer/generation.ts";
import { GatewayError } from "../../core/errors.ts";
import type { JsonRecord } from "../../core/json.ts";
import { dataUrl } from "../shared/data-url.ts";

/** A message's content: a string where it is one text, else blocks. Throws for content without a block type here. */
export function encodeUserContent(parts: readonly UserPart[]): string | readonly JsonRecord[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : parts.map(encodePart);
}

export function encodeAnswerContent(parts: readonly (TextPart | RefusalPart)[]): readonly JsonRecord[] {
  return parts.map((part) =>
    part.type === "refusal"
      ? { type: "refusal", refusal: part.text }
      : { type: "output_text", text: part.text, annotations: [] },
  );
}

/** A tool's result. This protocol has no mark for a failed call, so the text itself says that the call failed. */
export function encodeResult({ content, is_error }: ToolMessage): string | readonly JsonRecord[] {
  if (content.length === 0) return is_error ? "Error" : "";
  const first = content.find((part) => part.type === "text");
  const is_told = !is_error || (first !== undefined && /^error\b/i.test(first.text));
  if (is_told) return encodeUserContent(content);
  if (first === undefined) return encodeUserContent([{ type: "text", text: "Error:" }, ...content]);
  const told: TextPart = { ...first, text: `Error: ${first.text}` };
  return encodeUserContent(content.map((part) => (part === first ? told : part)));
}

function encodePart(part: UserPart): JsonRecord {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image":
      return encodeImage(part);
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    case "document":
      return encodeDocument(part);
    case "video": {
      const message = "A video was found in 'messages', which this model's vendor cannot take.";
      throw new GatewayError("unsupported_parameter", message, { param: "messages" });
    }
  }
}

function encodeImage({ source, detail }: ImagePart): JsonRecord {
  const rest = detail === undefined ? {} : { detail };
  switch (source.kind) {
    case "url":
      return { type: "input_image", image_url: source.url, ...rest };
    case "base64":
      return { type: "input_image", image_url: dataUrl(source), ...rest };
    case "file-id":
      return { type: "input_image", file_id: source.file_id, ...rest };
  }
}

function encodeDocument({ source, filename }: DocumentPart): JsonRecord {
  switch (source.kind) {
    case "url":
      return { type: "input_file", file_url: source.url };
    case "base64":
      return { type: "input_file", filename: filename ?? nameFor(source.media_type), file_data: dataUrl(source) };
    case "file-id":
      return { type: "input_file", file_id: source.file_id };
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
  "text/html": "html",
  "application/json": "json",
};

/** A file name for data without one: vendors read the type from the name's ending. */
function nameFor(media_type: string): string {
  return `document.${ENDINGS[media_type] ?? "pdf"}`;
}
