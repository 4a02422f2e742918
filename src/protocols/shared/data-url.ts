import type { MediaSource } from "../../core/answer/generation.ts";

const SCHEME = "data:";
const BASE64 = ";base64";

/** Media that style A has as a URL: the bytes of a data URL in base64, else the URL itself. */
export function sourceOfUrl(url: string): MediaSource {
  const comma = url.startsWith(SCHEME) ? url.indexOf(",") : -1;
  const head = url.slice(SCHEME.length, comma);
  if (comma === -1 || !head.endsWith(BASE64)) return { kind: "url", url };
  // Parameters such as a charset have no meaning for an image or a PDF, and no vendor accepts them.
  const [media_type = ""] = head.slice(0, -BASE64.length).split(";");
  return { kind: "base64", media_type, data: url.slice(comma + 1) };
}

/** Bytes in base64 as a URL. */
export function dataUrl({ media_type, data }: { readonly media_type: string; readonly data: string }): string {
  return `${SCHEME}${media_type}${BASE64},${data}`;
}
