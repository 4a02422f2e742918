import { firstOf, type Rule } from "../../rules/rule.ts";
import { isObject, objectsOf } from "../read.ts";

/** skydiscover-ai/skydiscover#15, BerriAI/litellm#15097: Claude Opus 4.1 and later models. */
const ONE_WAY_TO_SAMPLE: Rule = {
  refuses: "temperature and top_p together",
  find: ({ body }) =>
    body.temperature !== undefined && body.top_p !== undefined
      ? { message: "`temperature` and `top_p` cannot both be specified for this model. Please use only one." }
      : null,
};

/** agenticloops-ai/agentic-ai-engineering#43: Claude 4.6 and later models. */
const NO_PREFILL: Rule = {
  refuses: "the beginning of an answer",
  find: ({ body }) =>
    objectsOf(body.messages).at(-1)?.role === "assistant"
      ? {
          message:
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        }
      : null,
};

/** UKGovernmentBEIS/inspect_ai#3721, promptfoo/promptfoo#9500: Claude Opus 4.7 and later models. */
const NO_SAMPLING: Rule = {
  refuses: "temperature, top_p and top_k",
  find: ({ body }) =>
    firstOf(["temperature", "top_p", "top_k"], (name) =>
      body[name] !== undefined && body[name] !== 1 ? { message: `\`${name}\` is deprecated for this model.` } : null,
    ),
};

/** srtab/daiv#1429, OpenHands/software-agent-sdk#3427. */
const ADAPTIVE_ONLY: Rule = {
  refuses: "a budget for thinking",
  find: ({ body }) =>
    isObject(body.thinking) && body.thinking.type === "enabled"
      ? {
          message:
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
        }
      : null,
};

/** The further refusals of a generation's models, by the generation's `@like` name. */
export const CLAUDE_GENERATIONS: Readonly<Record<string, readonly Rule[]>> = {
  "claude-4.5": [ONE_WAY_TO_SAMPLE],
  "claude-4.6": [ONE_WAY_TO_SAMPLE, NO_PREFILL],
  "claude-4.7": [NO_SAMPLING, ADAPTIVE_ONLY, NO_PREFILL],
};
