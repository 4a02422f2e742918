import Type, { type Static } from "typebox";
import { closed, Currency, Micro } from "./common.ts";

export const ModelKind = Type.Enum(["chat", "decision"]);

export const ModelsQuery = closed({
  kind: Type.Optional(Type.Enum(["chat", "decision", "all"], { description: '"chat", "decision" or "all"' })),
});
export type ModelsQuery = Static<typeof ModelsQuery>;

const prices = {
  input_micro_per_mtok: Micro,
  output_micro_per_mtok: Micro,
  cache_read_micro_per_mtok: Micro,
  cache_write_micro_per_mtok: Micro,
};

export const ModelPrice = Type.Object({
  version: Type.String(),
  ...prices,
  tiers: Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...prices })),
});
export type ModelPrice = Static<typeof ModelPrice>;

export const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  display_name: Type.String(),
  kind: ModelKind,
  owned_by: Type.String(),
  created: Type.Integer({ description: "release time, Unix seconds" }),
  context_length: Type.Union([Type.Integer(), Type.Null()]),
  max_completion_tokens: Type.Union([Type.Integer(), Type.Null()]),
  input_modalities: Type.Array(Type.String()),
  output_modalities: Type.Array(Type.String()),
  capabilities: Type.Object({
    streaming: Type.Boolean(),
    tools: Type.Boolean(),
    json: Type.Boolean(),
    vision: Type.Boolean(),
    thinking: Type.Boolean(),
  }),
  /** What a request that arrives now is charged at. */
  price: ModelPrice,
  /** The vendors that serve it, in the configured order. */
  vendors: Type.Array(Type.String()),
  fallbacks: Type.Array(Type.String()),
});
export type Model = Static<typeof Model>;

export const ModelList = Type.Object({
  object: Type.Literal("list"),
  currency: Currency,
  data: Type.Array(Model),
});
export type ModelList = Static<typeof ModelList>;
