import type { VendorLimits } from "../../core/catalog/catalog.ts";
import { withoutNulls } from "../../core/given.ts";
import { scaleDecimal } from "./decimal.ts";
import type { YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readCount, readParsed } from "./read-scalar.ts";

const SPEND_RULE = "an amount a day, such as 100/day or 12.50/day";

/** Reads what a vendor, or one of its credentials, may be used for (docs/rulings.md 178). */
export function readVendorLimits(place: YamlPlace | null): VendorLimits | null {
  const fields = readFields(place, ["spend", "rpm", "tpm", "concurrent"]);
  if (fields === null) return null;
  const limits = withoutNulls({
    spend_micro: readParsed(fields.get("spend"), SPEND_RULE, dailyAmount),
    rpm: readCount(fields.get("rpm"), 1),
    tpm: readCount(fields.get("tpm"), 1),
    concurrent: readCount(fields.get("concurrent"), 1),
  });
  return Object.keys(limits).length === 0 ? null : limits;
}

/** An amount a day in micro units; null for any other text. */
export function dailyAmount(text: string): bigint | null {
  const amount = /^(\d{1,12}(?:\.\d{1,6})?)\/day$/.exec(text.trim())?.[1];
  const decimal = amount === undefined ? null : scaleDecimal(amount, 6);
  return decimal?.kind === "whole" && decimal.value > 0n ? decimal.value : null;
}
