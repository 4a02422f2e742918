import type { Ask } from "../../ask.ts";
import type { DecisionAnswer } from "../../decisions/decision.ts";
import { writeJson } from "../../decisions/write-json.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { UNSTREAMED } from "../openai-shape.ts";
import type { VendorProtocol } from "../protocol.ts";
import { readAsk } from "./read-ask.ts";

/** OpenAI's Decisions. It has no streams. */
export const decisions: VendorProtocol = {
  ...UNSTREAMED,
  protocol: "decisions",
  accepts: (path) => path.endsWith("/decisions"),
  readAsk,
  whole,
};

/** The body of an answer: answers in the order of the questions. */
export function whole(ask: Ask, performance: Performance): string {
  const { answers = [], usage_reporting } = performance;
  return writeJson({
    model: ask.model.full,
    answers: answers.map(wireAnswer),
    ...(usage_reporting.omitted ? {} : { usage: wireUsage(performance) }),
  });
}

function wireAnswer(answer: DecisionAnswer): object {
  const { type, name } = answer;
  if (type === "refusal") return { type, name };
  if (type === "predicate") return { type, name, probability: answer.probability };
  // Nobody asks for a box here: only System One has them.
  if (type === "box") return { type, name };
  const { result, confidence } = answer;
  const probabilities = answer.options.map(({ value, label, probability }) =>
    type === "choice" ? { value, probability } : { value, label, probability },
  );
  return { type, name, [type]: result, confidence, probabilities };
}

function wireUsage({ usage, usage_reporting }: Performance): unknown {
  const input_tokens = usage.input + usage.cache_read + usage.cache_write;
  const wire = {
    input_tokens,
    input_tokens_details: { cache_write_tokens: usage.cache_write, cached_tokens: usage.cache_read },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + usage.output,
  };
  return reportUsage(wire, usage_reporting);
}
