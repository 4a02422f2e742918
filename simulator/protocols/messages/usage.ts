import { type Performance, reportUsage, type SimulatedUsage } from "../../performance.ts";

/** Usage as messages count it: the input classes are disjoint. */
export function wireUsage({ usage, usage_reporting }: Performance): unknown {
  return reportUsage(
    {
      ...inputUsage(usage),
      ...outputUsage(usage),
      service_tier: "standard",
      inference_geo: null,
      server_tool_use: null,
    },
    usage_reporting,
  );
}

/** The usage of a stream's `message_start`: the input, and one token of output. */
export function startUsage(performance: Performance): unknown {
  const { usage, usage_reporting } = performance;
  const estimate = usage_reporting.early ? { ...usage, input: usage.input + 1 } : usage;
  return wireUsage({ ...performance, usage: { ...estimate, output: 1, reasoning: 0 } });
}

/** The usage of a stream's `message_delta`: all classes, or the output alone as older versions sent it. */
export function deltaUsage({ usage, usage_reporting }: Performance): unknown {
  const input = usage_reporting.split ? {} : plainInput(usage);
  return reportUsage({ ...input, ...outputUsage(usage) }, usage_reporting);
}

function plainInput(usage: SimulatedUsage): object {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cache_write,
    cache_read_input_tokens: usage.cache_read,
  };
}

function inputUsage(usage: SimulatedUsage): object {
  const cache_creation = { ephemeral_5m_input_tokens: usage.cache_write, ephemeral_1h_input_tokens: 0 };
  return { ...plainInput(usage), cache_creation };
}

function outputUsage(usage: SimulatedUsage): object {
  const output_tokens_details = usage.reasoning > 0 ? { thinking_tokens: usage.reasoning } : null;
  return { output_tokens: usage.output, output_tokens_details };
}
