import { StoreConflict } from "../../core/store/ports.ts";
import { isRefused, type Refused } from "../../people/refused.ts";

/** Returns the decision of a rule about people. Throws a StoreConflict with the rule's reason where it refuses. */
export function allowed<Decision>(decision: Decision): Exclude<Decision, Refused> {
  if (isRefused(decision)) throw new StoreConflict(decision.refused);
  return decision as Exclude<Decision, Refused>;
}
