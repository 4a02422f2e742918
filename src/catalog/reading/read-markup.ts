import type { Markup } from "../../core/money/markup.ts";
import { scaleDecimal } from "./decimal.ts";
import type { YamlPlace } from "./place.ts";
import { isMapping, readEntries, readFields } from "./read-fields.ts";
import { readDate, readOneOf, readParsed, readPriceNumber } from "./read-scalar.ts";

type MarkupTerms = Omit<Markup, "from_ms" | "until_ms">;

/** A price of a document that follows the vendors' prices, and where it stands. */
export interface FollowingDraft extends MarkupTerms {
  /** When the price begins to follow. */
  readonly from_ms: number;
  readonly place: YamlPlace;
}

/** Whether a price has `follows` in place of figures. */
export function isFollowing(place: YamlPlace): boolean {
  return isMapping(place) && (readEntries(place, "a price") ?? []).some(([key]) => key === "follows");
}

/** Reads a price that follows; null, with the problem reported, when it has a mistake. */
export function readFollowing(place: YamlPlace): FollowingDraft | null {
  const fields = readFields(place, ["follows", "markup", "from"]);
  if (fields === null) return null;
  const from = fields.get("from");
  const from_ms = from === null ? 0 : readDate(from);
  const follows = readOneOf(fields.require("follows", "upstream"), ["upstream"]);
  const markup = readMarkup(fields.get("markup"));
  return from_ms === null || follows === null || markup === null ? null : { place, from_ms, ...markup };
}

const AT_COST: MarkupTerms = {
  factor_millionths: 1_000_000,
  add_input_micro_per_mtok: 0,
  add_output_micro_per_mtok: 0,
};

function readMarkup(place: YamlPlace | null): MarkupTerms | null {
  if (place === null) return AT_COST;
  const fields = readFields(place, ["percent", "add"]);
  if (fields === null) return null;
  const percent = fields.get("percent");
  const factor_millionths = percent === null ? AT_COST.factor_millionths : readPercent(percent);
  const added = readAdded(fields.get("add"));
  return factor_millionths === null || added === null ? null : { factor_millionths, ...added };
}

const PERCENT_DECIMALS = 4;
const MAX_PERCENT_MILLIONTHS = 100_000_000n;

/** A percentage of at least 0, as the factor that it stands for. */
function readPercent(place: YamlPlace): number | null {
  const allowed = "a percentage from 0 to 10000 with at most four decimals, such as 20 or 12.5";
  return readParsed(place, allowed, (text) => {
    const percent = scaleDecimal(text.replace(/\s*%$/, ""), PERCENT_DECIMALS);
    const is_right = percent.kind === "whole" && percent.value >= 0n && percent.value <= MAX_PERCENT_MILLIONTHS;
    return is_right ? 1_000_000 + Number(percent.value) : null;
  });
}

/** The fixed part: one number for every token class, or one for the input's classes and one for the output's. */
function readAdded(place: YamlPlace | null): Omit<MarkupTerms, "factor_millionths"> | null {
  if (place === null) return { add_input_micro_per_mtok: 0, add_output_micro_per_mtok: 0 };
  if (!isMapping(place)) {
    const both = readPriceNumber(place);
    return both === null ? null : { add_input_micro_per_mtok: both, add_output_micro_per_mtok: both };
  }
  const fields = readFields(place, ["input", "output"]);
  if (fields === null) return null;
  const [input, output] = [fields.get("input"), fields.get("output")];
  const add_input = input === null ? 0 : readPriceNumber(input);
  const add_output = output === null ? 0 : readPriceNumber(output);
  if (add_input === null || add_output === null) return null;
  return { add_input_micro_per_mtok: add_input, add_output_micro_per_mtok: add_output };
}
