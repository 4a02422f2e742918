import { type Performance, reportUsage, type SimulatedUsage } from "../../performance.ts";

/** Usage in style A, whose prompt count includes the cached tokens. */
export function wireUsage({ usage, usage_reporting }: Performance, choices: number): unknown {
  return reportUsage(
    chatUsage({ ...usage, output: usage.output * choices, reasoning: usage.reasoning * choices }),
    usage_reporting,
  );
}

function chatUsage(usage: SimulatedUsage): object {
  const prompt_tokens = usage.input + usage.cache_read + usage.cache_write;
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cache_read,
      ...(usage.cache_write > 0 ? { cache_write_tokens: usage.cache_write } : {}),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
