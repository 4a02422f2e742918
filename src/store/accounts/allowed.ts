import { StoreConflict } from "../../core/store/ports.ts";
import { isRefused, type Refused } from "../../people/refused.ts";

/** What a rule of people has decided. Throws a StoreConflict with its reason where it refuses. */
export function allowed<Decision>(decision: Decision): Exclude<Decision, Refused> {
  if (isRefused(decision)) throw new StoreConflict(decision.refused);
  return decision as Exclude<Decision, Refused>;
}
