import Type, { type Static } from "typebox";

/** The parts of a decision's answer that the commands read (docs/api.md 2.7). */

const name = Type.Union([Type.String(), Type.Null()]);
const value = Type.Union([Type.String(), Type.Boolean()]);

export const AnsweredQuestion = Type.Union([
  Type.Object({ type: Type.Literal("predicate"), name, probability: Type.Number() }),
  Type.Object({
    type: Type.Literal("choice"),
    name,
    choice: value,
    confidence: Type.Number(),
    probabilities: Type.Array(Type.Object({ value, probability: Type.Number() })),
  }),
  Type.Object({
    type: Type.Literal("score"),
    name,
    score: Type.Number(),
    confidence: Type.Number(),
    probabilities: Type.Array(Type.Object({ value: Type.Integer(), label: Type.String(), probability: Type.Number() })),
  }),
  Type.Object({ type: Type.Literal("refusal"), name, reason: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
]);
export type AnsweredQuestion = Static<typeof AnsweredQuestion>;

export const Decision = Type.Object({
  model: Type.String(),
  answers: Type.Array(AnsweredQuestion),
  usage: Type.Object({ input_tokens: Type.Integer() }),
});
export type Decision = Static<typeof Decision>;
