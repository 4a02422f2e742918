import { type Performance, reportUsage } from "../../performance.ts";

/** Usage as Gemini counts it: the prompt count includes cached tokens, the candidates count excludes thoughts. */
export function wireUsage({ usage: told, usage_reporting }: Performance, choices = 1): unknown {
  const usage = { ...told, output: told.output * choices, reasoning: told.reasoning * choices };
  const prompt = usage.input + usage.cache_read + usage.cache_write;
  const counts = {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: prompt + usage.output,
    ...(usage.cache_read > 0 ? { cachedContentTokenCount: usage.cache_read } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
  };
  return reportUsage(counts, usage_reporting);
}

/** The usage of a stream's earlier chunks, which have the prompt count and almost no output. */
export function earlyUsage(performance: Performance): unknown {
  const { usage, usage_reporting } = performance;
  const input = usage_reporting.early ? usage.input + 1 : usage.input;
  return wireUsage({ ...performance, usage: { ...usage, input, output: 1, reasoning: 0 } });
}
