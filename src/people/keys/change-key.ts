import type { KeyRecord } from "../../core/people/principal.ts";
import { type Refused, refused } from "../refused.ts";

/** Refuses a change that was judged by an earlier version of the key. `read_version`: undefined for one that was not judged. */
export function refuseStaleChange(
  { id, version }: Pick<KeyRecord, "id" | "version">,
  read_version: number | undefined,
): Refused | null {
  if (read_version === undefined || read_version === version) return null;
  return refused(`The key ${id} was changed by somebody else at this moment: look at it, and try again.`);
}
