import { perform, textBlock } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { repeated } from "./echo.ts";
import { reasoningFor } from "./reason.ts";
import { tools } from "./tools.ts";

/** Reasoning, text and tool calls in one answer; after tool results, reasoning and text. */
export function everything(ask: Ask): Performance {
  const calls = tools(ask).blocks.filter((block) => block.type === "tool_call");
  const text = textBlock(`Simulated answer: ${repeated(ask)}`);
  return perform(ask, { reasoning: reasoningFor(ask), blocks: [text, ...calls] });
}
