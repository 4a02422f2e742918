import Type, { type Static } from "typebox";

/**
 * The values of configuration elements: the shapes of docs/configuration.md as JSON. The gateway judges them with the file's own
 * reader, whose messages name the file's paths.
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

/** An alias's value is the id of its model; every other value is an object. */
export const ElementValue = Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
  description: "an object with the keys of docs/configuration.md, or for an alias the id of a model",
});
export type ElementValue = Static<typeof ElementValue>;

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
