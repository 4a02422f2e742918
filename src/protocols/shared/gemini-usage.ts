import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { isPlausibleCount, type Usage, withExtra, withServed } from "../../core/money/usage.ts";
import { extraOf, type MediaCounts, mediaParts, unknownIn } from "./rare-usage.ts";

/**
 * A `usageMetadata` in disjoint classes (docs/rulings.md 13): its prompt includes the cached tokens, input that the
 * vendor's tools added is counted on top of the prompt, and thoughts are counted beside the candidates. Its lists of
 * details count audio, images and video apart. Null when the usage cannot be believed (docs/rulings.md 44).
 */
export function readGeminiUsage(metadata: unknown): Usage | null {
  if (!isObject(metadata)) return null;
  const prompt = metadata.promptTokenCount;
  const { cachedContentTokenCount: cached = 0, toolUsePromptTokenCount: tools = 0 } = metadata;
  const { candidatesTokenCount: candidates = 0, thoughtsTokenCount: thoughts = 0 } = metadata;
  if (!isPlausibleCount(prompt) || !isPlausibleCount(cached) || !isPlausibleCount(tools)) return null;
  if (!isPlausibleCount(candidates) || !isPlausibleCount(thoughts) || cached > prompt) return null;
  const usage: Usage = {
    input_tokens: prompt - cached + tools,
    cache_read_tokens: cached,
    cache_write_tokens: 0,
    output_tokens: candidates + thoughts,
    reasoning_tokens: thoughts,
  };
  return withMedia(withServed(usage, metadata.serviceTier ?? tierOf(metadata.trafficType)), metadata);
}

/** Vertex AI names the traffic that a request was served as. */
function tierOf(traffic: unknown): string | undefined {
  return /^ON_DEMAND_([A-Z]+)$/.exec(plainText(traffic))?.[1]?.toLowerCase();
}

function withMedia(usage: Usage, metadata: JsonRecord): Usage | null {
  const input = mediaIn(metadata.promptTokensDetails, metadata.toolUsePromptTokensDetails);
  const output = mediaIn(metadata.candidatesTokensDetails);
  const unpriced = unknownIn(metadata, USAGE_COUNTS, true, null);
  if (input === null && output === null && unpriced === null) return usage;
  const told = metadata.cacheTokensDetails;
  const cached = Array.isArray(told) ? (mediaIn(told) ?? {}) : null;
  const parts = mediaParts(usage, { input, cached, output });
  return parts === null ? null : withExtra(usage, extraOf(parts, null, unpriced));
}

export const USAGE_COUNTS: ReadonlySet<string> = new Set([
  ...["promptTokenCount", "cachedContentTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount"],
  ...["thoughtsTokenCount", "totalTokenCount"],
]);

const MEDIA: Readonly<Record<string, "audio" | "image" | "video">> = { AUDIO: "audio", IMAGE: "image", VIDEO: "video" };

/** The tokens of media in lists of `{modality, tokenCount}`; null where there is only text and documents. */
function mediaIn(...lists: readonly unknown[]): MediaCounts | null {
  let media: Partial<Record<"audio" | "image" | "video", number>> | null = null;
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const detail of list) {
      const medium = isObject(detail) ? MEDIA[plainText(detail.modality)] : undefined;
      if (medium === undefined || !detail.tokenCount) continue;
      media ??= {};
      media[medium] = (media[medium] ?? 0) + Number(detail.tokenCount);
    }
  }
  return media;
}
