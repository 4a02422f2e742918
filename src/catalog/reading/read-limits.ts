import type { Configuration } from "../../core/catalog/catalog.ts";
import type { Place } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readCount, readSize } from "./read-scalar.ts";
import { readEndUserTag, readTagLimits } from "./read-tag-limits.ts";

export const DEFAULT_LIMITS: Configuration["limits"] = {
  body_bytes: 32 * 2 ** 20,
  decision_calls: 1000,
  default_key: { rpm: 600, concurrent: 64 },
};

/** Reads the limits that keys inherit, those by tag, the largest body and the most calls of a decision. */
export function readLimits(place: Place | null): Configuration["limits"] {
  const fields =
    place === null ? null : readFields(place, ["body", "decision_calls", "default_key", "tags", "end_user"]);
  if (fields === null) return DEFAULT_LIMITS;
  const key_place = fields.get("default_key");
  const key = key_place === null ? null : readFields(key_place, ["rpm", "concurrent"]);
  const tags = readTagLimits(fields.get("tags"));
  const end_user = readEndUserTag(fields.get("end_user"));
  return {
    ...(tags !== null && { tags }),
    ...(end_user !== null && { end_user }),
    body_bytes: readSize(fields.get("body")) ?? DEFAULT_LIMITS.body_bytes,
    decision_calls: readCount(fields.get("decision_calls"), 1) ?? DEFAULT_LIMITS.decision_calls,
    default_key: {
      rpm: readCount(key?.get("rpm") ?? null, 1) ?? DEFAULT_LIMITS.default_key.rpm,
      concurrent: readCount(key?.get("concurrent") ?? null, 1) ?? DEFAULT_LIMITS.default_key.concurrent,
    },
  };
}
