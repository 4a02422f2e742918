import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  MediaSource,
  TextPart,
  VideoPart,
} from "../../core/answer/generation.ts";
import type { WirePart } from "./wire-request.ts";

type Media = TextPart | ImagePart | AudioPart | VideoPart | DocumentPart;

/** Bytes in the request, by their media type. A text file is said as its text. */
export function decodeInline({ mimeType, data }: NonNullable<WirePart["inlineData"]>): Media {
  // Base64 is taken in both alphabets here, and in one by the other protocols.
  const plain = data.replaceAll("-", "+").replaceAll("_", "/");
  const [media_type = ""] = mimeType.toLowerCase().split(";");
  const source: MediaSource = { kind: "base64", media_type, data: plain };
  if (media_type.startsWith("image/")) return { type: "image", source };
  if (media_type.startsWith("video/")) return { type: "video", source };
  if (media_type.startsWith("audio/")) return { type: "audio", format: audioFormat(media_type), data: plain };
  if (media_type.startsWith("text/") || media_type === "application/json")
    return { type: "text", text: Buffer.from(plain, "base64").toString() };
  return { type: "document", source };
}

/** A file by its address, which the vendor fetches (docs/rulings.md 14). */
export function decodeFile({
  fileUri,
  mimeType,
}: NonNullable<WirePart["fileData"]>): ImagePart | VideoPart | DocumentPart {
  const media_type = (mimeType ?? "").toLowerCase();
  const source: MediaSource = { kind: "url", url: fileUri };
  const path = URL.parse(fileUri)?.pathname ?? "";
  if (media_type.startsWith("image/") || (media_type === "" && IMAGE_NAME.test(path))) return { type: "image", source };
  const is_video = media_type.startsWith("video/") || (media_type === "" && (VIDEO_NAME.test(path) || isClip(fileUri)));
  return { type: is_video ? "video" : "document", source };
}

const IMAGE_NAME = /\.(png|jpe?g|webp|gif|heic|heif)$/i;
const VIDEO_NAME = /\.(mp4|mov|webm|mpe?g|avi|wmv)$/i;

/** A clip on a site for videos, which the public API takes without a media type. */
function isClip(url: string): boolean {
  return /^https:\/\/(www\.)?(youtube\.com|youtu\.be)\//.test(url);
}

/** Style A's name of a format of sound. */
function audioFormat(media_type: string): string {
  const name = media_type.slice("audio/".length).replace(/^x-/, "");
  return name === "mpeg" || name === "mpeg3" ? "mp3" : name === "wave" || name === "vnd.wave" ? "wav" : name;
}
