import type { Source } from "../question.ts";

/** A media source as a URL (a data URL for base64), for styles that take only URLs. */
export function urlOf(source: Source): string {
  return source.kind === "url" ? source.url : `data:${source.media_type};base64,${source.base64}`;
}
