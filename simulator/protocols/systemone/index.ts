import type { Ask } from "../../ask.ts";
import type { AnsweredOption, DecisionAnswer } from "../../decisions/decision.ts";
import { writeJson } from "../../decisions/write-json.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { UNSTREAMED } from "../openai-shape.ts";
import type { VendorProtocol } from "../protocol.ts";
import { readAsk } from "./read-ask.ts";

/** System One, with SGLang's additions (`images`, `x_label_mass`). It has no streams. */
export const systemone: VendorProtocol = {
  ...UNSTREAMED,
  protocol: "systemone",
  accepts: (path) => path.endsWith("/systemone"),
  readAsk,
  whole,
};

/** The label mass of a decision model that puts no probability on other tokens. */
const LABEL_MASS = 1;

/** The body of an answer: answers by the names of the questions. */
export function whole(ask: Ask, performance: Performance): string {
  const { answers = [], usage, usage_reporting } = performance;
  const wire_usage = {
    input_tokens: usage.input + usage.cache_read + usage.cache_write,
    output_tokens: usage.output,
  };
  return writeJson({
    model: ask.model.full,
    answers: Object.fromEntries(answers.map((answer) => [answer.name ?? "", wireAnswer(answer)])),
    ...(usage_reporting.omitted ? {} : { usage: reportUsage(wire_usage, usage_reporting) }),
  });
}

function wireAnswer(answer: DecisionAnswer): object {
  if (answer.type === "refusal") return { type: "refusal", reason: answer.reason };
  if (answer.type === "predicate") return { type: "noul", noul: answer.probability, x_label_mass: LABEL_MASS };
  if (answer.type === "box") return { type: "box", ...answer.edges };
  const { type, result, confidence, options } = answer;
  return {
    type,
    [type]: result,
    confidence,
    ...(type === "score" ? { legend: byValue(options, ({ label }) => label) } : {}),
    probabilities: byValue(options, ({ probability }) => probability),
    x_label_mass: LABEL_MASS,
  };
}

function byValue(options: readonly AnsweredOption[], read: (option: AnsweredOption) => unknown): object {
  return Object.fromEntries(options.map((option) => [String(option.value), read(option)]));
}
