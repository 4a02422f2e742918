import type { VendorLimits } from "../../core/catalog/catalog.ts";
import { scaleDecimal } from "./decimal.ts";
import { report, type YamlPlace } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readCount, readText } from "./read-scalar.ts";

const SPEND_RULE = "an amount a day, such as 100/day or 12.50/day";

/** Reads what a vendor, or one of its credentials, may be used for (docs/rulings.md 178). */
export function readVendorLimits(place: YamlPlace | null): VendorLimits | null {
  const fields = place === null ? null : readFields(place, ["spend", "rpm", "tpm", "concurrent"]);
  if (fields === null) return null;
  const spend_place = fields.get("spend");
  const spend = readText(spend_place, SPEND_RULE);
  const spend_micro = spend === null ? null : dailyAmount(spend);
  if (spend_place !== null && spend !== null && spend_micro === null) report(spend_place, SPEND_RULE);
  const [rpm, tpm, concurrent] = [fields.get("rpm"), fields.get("tpm"), fields.get("concurrent")].map((each) =>
    readCount(each, 1),
  );
  const limits = {
    ...(spend_micro !== null && { spend_micro }),
    ...(typeof rpm === "number" && { rpm }),
    ...(typeof tpm === "number" && { tpm }),
    ...(typeof concurrent === "number" && { concurrent }),
  };
  return Object.keys(limits).length === 0 ? null : limits;
}

/** An amount a day in micro units; null for any other text. */
export function dailyAmount(text: string): bigint | null {
  const amount = /^(\d{1,12}(?:\.\d{1,6})?)\/day$/.exec(text.trim())?.[1];
  const decimal = amount === undefined ? null : scaleDecimal(amount, 6);
  return decimal?.kind === "whole" && decimal.value > 0n ? decimal.value : null;
}
