import Type, { type Static } from "typebox";
import { Count, Filled, optional } from "../shared/wire-schema.ts";

/** The body of `POST /v1/completions` (docs/api.md 4.19). Null counts as absent, as in the public API. */

export const CompletionRequest = Type.Object({
  model: Filled,
  prompt: Type.Union([
    Type.String(),
    Type.Array(Type.String(), { minItems: 1 }),
    Type.Array(Count, { minItems: 1 }),
    Type.Array(Type.Array(Count, { minItems: 1 }), { minItems: 1 }),
  ]),
  suffix: optional(Type.String()),
  max_tokens: optional(Count),
  n: optional(Type.Integer({ minimum: 1, maximum: 128 })),
  best_of: optional(Type.Integer({ minimum: 1, maximum: 128 })),
  echo: optional(Type.Boolean()),
  stream: optional(Type.Boolean()),
  stream_options: optional(Type.Object({ include_usage: optional(Type.Boolean()) })),
  stop: optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  logprobs: optional(Count),
  temperature: optional(Type.Number()),
  top_p: optional(Type.Number()),
});
export type CompletionRequest = Static<typeof CompletionRequest>;
export type Prompt = string | readonly number[];

/** The prompts of a request, each of which has `n` choices. */
export function promptsOf({ prompt }: Pick<CompletionRequest, "prompt">): readonly Prompt[] {
  if (typeof prompt === "string") return [prompt];
  if (prompt.every((each) => typeof each === "number")) return [prompt];
  return prompt as readonly Prompt[];
}

const CompletionUsage = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  cost: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
});

/** The answer, and each chunk of a streamed one (docs/api.md 4.19). */
export const Completion = Type.Object({
  id: Type.String(),
  object: Type.Literal("text_completion"),
  created: Type.Integer(),
  model: Type.String({ description: "The catalog's id." }),
  choices: Type.Array(
    Type.Object({
      index: Count,
      text: Type.String(),
      finish_reason: Type.Union([Type.String(), Type.Null()]),
      logprobs: Type.Optional(Type.Unknown()),
    }),
  ),
  usage: Type.Optional(Type.Union([CompletionUsage, Type.Null()])),
});
