import type { Source } from "../question.ts";

/** A source as styles with URLs only have it. */
export function urlOf(source: Source): string {
  return source.kind === "url" ? source.url : `data:${source.media_type};base64,${source.base64}`;
}
