import Type, { type Static } from "typebox";
import { Count, Filled, optional } from "../shared/wire-schema.ts";

/** The body of `POST /v1/rerank` and `/v2/rerank` (docs/api.md 4.18). Null counts as absent. */

const count = Type.Integer({ minimum: 1 });

export const RerankRequest = Type.Object({
  model: Filled,
  query: Filled,
  documents: Type.Array(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())]), { minItems: 1 }),
  top_n: optional(count),
  rank_fields: optional(Type.Array(Filled, { minItems: 1 })),
  return_documents: optional(Type.Boolean()),
  max_tokens_per_doc: optional(count),
});
export type RerankRequest = Static<typeof RerankRequest>;
export type RankedDocument = RerankRequest["documents"][number];

/** The answer (docs/api.md 4.18). */
export const RerankResult = Type.Object({
  id: Type.String(),
  model: Type.String({ description: "The catalog's id." }),
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: "The document's place in the request." }),
      relevance_score: Type.Number(),
      document: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
    }),
    { description: "The most relevant first." },
  ),
  meta: Type.Optional(
    Type.Object({
      billed_units: Type.Object({
        search_units: Type.Optional(Count),
        input_tokens: Type.Optional(Count),
      }),
    }),
  ),
  usage: Type.Object({
    search_units: Type.Optional(Count),
    prompt_tokens: Type.Optional(Count),
    total_tokens: Type.Optional(Count),
    cost: optional(Type.Number()),
  }),
});
