import Type, { type Static } from "typebox";
import { count, flag } from "./answer-fields.ts";
import { Currency, closed, Micro, oneOf, orNull, Timestamp } from "./common.ts";

const MODEL_KINDS = [
  "chat",
  "decision",
  "embedding",
  "rerank",
  "moderation",
  "speech",
  "image",
  "transcription",
] as const;

export const ModelKind = Type.Enum([...MODEL_KINDS]);
export type ModelKind = Static<typeof ModelKind>;

/** Why no list shows a model: a fixture of the simulator, or the simulator's after the first run. Absent: it is listed. */
export const Unlisted = Type.Optional(Type.Enum(["fixture", "demo"]));

export const ModelsQuery = closed({
  kind: Type.Optional(Type.Enum([...MODEL_KINDS, "all"], { description: "a kind of models, or all" })),
  /** Whether models that no list shows are shown here: the simulator's fixtures. Default: hide. */
  unlisted: Type.Optional(oneOf(["hide", "show"])),
});
export type ModelsQuery = Static<typeof ModelsQuery>;

/** Prices by the names of docs/billing.md; names without a price are left out. */
const partPrices = Type.Optional(Type.Record(Type.String(), Micro));

const prices = {
  input_micro_per_mtok: Micro,
  output_micro_per_mtok: Micro,
  cache_read_micro_per_mtok: Micro,
  cache_write_micro_per_mtok: Micro,
  /** Prices of parts of a class that are priced apart from the class. */
  parts_micro_per_mtok: partPrices,
};

/** One price list: the usual list, or the list of a `variant` that a request asks for. */
const list = {
  version: Type.String(),
  variant: Type.Optional(Type.String()),
  ...prices,
  /** Prices of the vendor's own tools, per thousand calls. */
  calls_micro_per_kcall: partPrices,
  /** Prices of what is charged beside tokens: of a million characters (`input_characters`), of a minute of sound (`input_minutes`), of an
   * image (`images`), of a thousand searches (`searches`). */
  units_micro: partPrices,
  tiers: Type.Array(Type.Object({ above_input_tokens: Type.Integer(), ...prices })),
};

export const ModelPrice = Type.Object({
  ...list,
  /** The other price lists of this version. Absent on receipts, which have only the list of the charge. */
  variants: Type.Optional(
    Type.Object({
      service_tiers: Type.Array(Type.Object(list)),
      speeds: Type.Array(Type.Object(list)),
      /** Prices of images by size and quality: `image=1024x1024/hd`. */
      images: Type.Optional(Type.Array(Type.Object(list))),
      /** Factors on the token prices, by the place of computation. */
      residency: Type.Record(Type.String(), Type.Number()),
    }),
  ),
});
export type ModelPrice = Static<typeof ModelPrice>;

/** A version of a model's price, with the time in which it is in effect. */
export const PriceVersion = Type.Object({
  ...ModelPrice.properties,
  /** When the version took effect; null: it has always been in effect. */
  from: orNull(Timestamp),
  /** When the next version takes effect; null: no next version is planned. */
  until: orNull(Timestamp),
  /** Whether a request that arrives now is charged at this version; true of exactly one version. */
  effective: Type.Boolean(),
});
export type PriceVersion = Static<typeof PriceVersion>;

export const ReasoningControls = Type.Object({
  toggle: Type.Optional(flag("Reasoning can be switched off; absent where it is always on.")),
  effort: Type.Optional(Type.Array(Type.String(), { description: "Accepted effort levels, lowest first." })),
  budget_tokens: Type.Optional(
    Type.Object(
      { min: Type.Optional(count("The smallest budget.")), max: Type.Optional(count("The largest budget.")) },
      { description: "It takes a thinking budget; the bounds are given where they are known." },
    ),
  ),
});
export type ReasoningControls = Static<typeof ReasoningControls>;

/** The public endpoints, by the names that receipts use. */
export const Endpoint = Type.Enum(
  [
    "chat.completions",
    "responses",
    "responses.compact",
    "messages",
    "generateContent",
    "embeddings",
    "audio.speech",
    "images.generations",
    "images.edits",
    "rerank",
    "completions",
    "audio.transcriptions",
    "audio.translations",
    "moderations",
    "decisions",
    "systemone",
  ],
  {
    description:
      '"chat.completions", "responses", "responses.compact", "messages", "generateContent", "completions", "embeddings", "rerank", "moderations", "audio.speech", "images.generations", "images.edits", "audio.transcriptions", "audio.translations", "decisions" or "systemone"',
  },
);
export type Endpoint = Static<typeof Endpoint>;

export const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  display_name: Type.String(),
  kind: ModelKind,
  owned_by: Type.String(),
  created: Type.Integer({ description: "release time, Unix seconds" }),
  context_length: orNull(Type.Integer()),
  max_completion_tokens: orNull(Type.Integer()),
  input_modalities: Type.Array(Type.String()),
  output_modalities: Type.Array(Type.String()),
  capabilities: Type.Object({
    streaming: Type.Boolean(),
    tools: Type.Boolean(),
    json: Type.Boolean(),
    vision: Type.Boolean(),
    thinking: Type.Boolean(),
    /** Present exactly when `thinking` is true; an empty object: the model reasons and has no controls. */
    reasoning: Type.Optional(ReasoningControls),
  }),
  /** The price of a request that arrives now. */
  price: ModelPrice,
  /** All versions of the price, in the order in which they take effect. */
  prices: Type.Array(PriceVersion),
  /** The vendor that the id names. */
  vendor: Type.Object({ id: Type.String(), name: Type.String() }),
  /** The endpoints on which the model can be called. */
  endpoints: Type.Array(Endpoint),
  /** The chat model from whose token probabilities a decision model's answers are made; null for all others. */
  decided_with: orNull(Type.String()),
  /** The vendors that serve the model, in the configured order. */
  vendors: Type.Array(Type.String()),
  fallbacks: Type.Array(Type.String()),
  /** When the model takes temperature and its kin; absent: always. */
  sampling: Type.Optional(Type.Enum(["never", "without_reasoning"])),
  unlisted: Unlisted,
});
export type Model = Static<typeof Model>;

/** `GET /models/{vendor}/{name}`. */
export const ModelDetail = Type.Object({
  ...Model.properties,
  currency: Currency,
  /** The whole gateway's aliases that lead to the model, for every key without an alias of the same name; a prefix alias ends in `*`. */
  gateway_aliases: Type.Array(Type.String()),
});
export type ModelDetail = Static<typeof ModelDetail>;

export const ModelList = Type.Object({
  object: Type.Literal("list"),
  currency: Currency,
  data: Type.Array(Model),
});
export type ModelList = Static<typeof ModelList>;
