import Type, { type Static } from "typebox";

/**
 * The values of configuration elements: the shapes of docs/configuration.md as JSON. The gateway judges them with the file's own
 * reader, whose messages name the file's paths; these types are for code that writes or shows values.
 *
 * Counts are numbers, flags are booleans, and everything else is text: prices, weights and factors are decimal texts (`"3.00"`),
 * durations are texts (`"30s"`), days are texts (`"2026-09-01"`). A value that is sent may have a number in place of a decimal text
 * where it has at most 15 digits; it is stored and shown as text.
 */

/** `limits` has one element, `default`. An alias's id is its name, or a prefix with a star: `fast`, `claude-*`. */
export const ElementKind = Type.Enum(["vendor", "model", "alias", "limits"], {
  description: "vendor, model, alias or limits",
});
export type ElementKind = Static<typeof ElementKind>;

/** The only id of the kind `limits`. */
export const LIMITS_ID = "default";

/** An alias's value is the id of its model; every other value is an object. */
export const ElementValue = Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
  description: "an object with the keys of docs/configuration.md, or for an alias the id of a model",
});
export type ElementValue = Static<typeof ElementValue>;

/** `vendors.ID` of the file. Credentials have no place in it: they are set by `PUT /vendors/ID/credential`, and kept sealed. */
export interface VendorValue {
  name?: string;
  protocol?: string | string[];
  base_url?: string | Record<string, string>;
  /** Of rankings: cohere, jina, voyage or tei. */
  dialect?: string;
  headers?: Record<string, string>;
  timeouts?: { connect?: string; first_byte?: string; idle?: string; total?: string };
  limits?: { spend?: string; rpm?: number; tpm?: number; concurrent?: number };
  on_disconnect?: "auto" | "abort" | "drain";
  forwards_safety_identifier?: boolean;
  shared_state?: "refuse" | "allow";
  issuer?: string;
}

/** The token classes and calls that a price may name. */
export type PriceClass =
  | "input"
  | "output"
  | "cache_read"
  | "cache_write"
  | "cache_write_1h"
  | "cache_write_12h"
  | "input_characters"
  | "input_minutes"
  | "images"
  | "searches"
  | "input_audio"
  | "input_image"
  | "input_video"
  | "cache_read_audio"
  | "cache_read_image"
  | "cache_read_video"
  | "output_audio"
  | "output_image"
  | "output_video"
  | "output_reasoning";

export type ClassPricesValue = { [Class in PriceClass]?: string };
export type TierValue = ClassPricesValue & { above_input_tokens: number };
export type ListedPricesValue = ClassPricesValue & { tiers?: TierValue[] };

/** One price; several with their `from` are a list. */
export type PriceValue = Omit<ListedPricesValue, "images"> & {
  /** The price of an image, or prices by `SIZE/QUALITY` with a `default`. */
  images?: string | Record<string, string>;
  /** A day or a time from which it holds; absent: always. */
  from?: string;
  per?: "request" | "call";
  /** Per thousand calls. */
  calls?: Record<string, string>;
  service_tiers?: Record<string, ListedPricesValue>;
  speeds?: Record<string, ListedPricesValue>;
  residency?: Record<string, string>;
};

/** A price that follows the vendors' prices. */
export interface FollowingPriceValue {
  follows: "upstream";
  markup?: { percent?: string; add?: string | { input?: string; output?: string } };
  from?: string;
}

export interface RouteValue {
  vendor: string;
  upstream_model?: string;
  weight?: string;
  protocol?: string | string[];
  /** The vendor's prices, where the bundled catalogue does not know them. */
  cost?: PriceValue | PriceValue[];
}

/** `models.ID` of the file. */
export interface ModelValue {
  upstream_model?: string;
  protocol?: string | string[];
  display_name?: string;
  owned_by?: string;
  created?: string;
  kind?: "chat" | "decision" | "embedding" | "rerank" | "moderation" | "speech" | "image" | "transcription";
  /** Of a chat model: whether it goes on from a text at /v1/completions. */
  completions?: boolean;
  context_length?: number;
  max_completion_tokens?: number;
  input_modalities?: string[];
  output_modalities?: string[];
  capabilities?: {
    streaming?: boolean;
    tools?: boolean;
    json?: boolean;
    vision?: boolean;
    thinking?: boolean;
    reasoning?: { toggle?: boolean; effort?: string[]; budget_tokens?: { min?: number; max?: number } };
    mid_system?: boolean;
    sampling?: "always" | "without_reasoning" | "never";
  };
  price?: PriceValue | FollowingPriceValue | (PriceValue | FollowingPriceValue)[];
  /** The vendor's prices for each route that states no cost. */
  cost?: PriceValue | PriceValue[];
  routes?: RouteValue[];
  routing?: { pick?: "weight" | "latency" | "cost"; sticky?: "on" | "off" };
  fallbacks?: string[];
  /** The calibration itself stands in an element of the console: a path is for the file alone. */
  decide_with?: {
    engine: "logprobs";
    model: string;
    debias?: "none" | "two" | "all";
    min_label_mass?: string;
    calibration?: string | Record<string, unknown>;
  };
  /** Takes no new calls. */
  retired?: boolean;
}

/** `limits` of the file. */
export interface LimitsValue {
  body?: string;
  decision_calls?: number;
  default_key?: { rpm?: number; concurrent?: number };
  /** What each value of a tag may use, by the tag's name. */
  tags?: Record<string, OwnLimitsValue & { required?: boolean; values?: Record<string, OwnLimitsValue> }>;
  /** The tag whose value the id of an end user is. */
  end_user?: string;
}

/** Limits of a tag's values: `budget` as `5/day`. */
export interface OwnLimitsValue {
  rpm?: number;
  tpm?: number;
  concurrent?: number;
  budget?: string;
}

/** `aliases.NAME` of the file: the id of the model. */
export type AliasValue = string;
