import { totalInput, type Usage } from "../../core/money/usage.ts";

/** The counts of an answer as this API has them: the prompt includes the cached tokens, and the count of the candidates does not include the thoughts. */
export interface UsageMetadata {
  readonly promptTokenCount: number;
  readonly candidatesTokenCount: number;
  readonly totalTokenCount: number;
  readonly cachedContentTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly promptTokensDetails: readonly ModalityCount[];
  readonly candidatesTokensDetails?: readonly ModalityCount[];
  /** The value of `cost`, where it is shown (docs/rulings.md 169). */
  readonly cost?: string | undefined;
}

interface ModalityCount {
  readonly modality: "TEXT" | "IMAGE" | "AUDIO" | "VIDEO";
  readonly tokenCount: number;
}

export function writeUsage(usage: Usage, cost?: string): UsageMetadata {
  const { cache_read_tokens: cached, reasoning_tokens: thoughts, output_tokens } = usage;
  const prompt = totalInput(usage);
  const output = mediaOf(usage, ["output"], output_tokens - thoughts);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output_tokens - thoughts,
    totalTokenCount: prompt + output_tokens,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    promptTokensDetails: mediaOf(usage, ["input", "cache_read"], prompt),
    ...(output.length > 1 && { candidatesTokensDetails: output }),
    ...(cost !== undefined && { cost }),
  };
}

const MEDIA = ["image", "audio", "video"] as const;

/** The tokens of each medium in the input or the output; all other tokens are text. */
function mediaOf(
  { extra }: Usage,
  classes: readonly ("input" | "cache_read" | "output")[],
  all: number,
): ModalityCount[] {
  const media = MEDIA.flatMap((medium): ModalityCount[] => {
    const tokenCount = classes.reduce((sum, name) => sum + (extra?.parts?.[`${name}_${medium}`] ?? 0), 0);
    return tokenCount > 0 ? [{ modality: MODALITIES[medium], tokenCount }] : [];
  });
  const text = all - media.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  return [{ modality: "TEXT", tokenCount: Math.max(0, text) }, ...media];
}

const MODALITIES = { image: "IMAGE", audio: "AUDIO", video: "VIDEO" } as const;
