import { isObject } from "../../core/json.ts";

/** The stop sequence that matched, from the maker's fields beside the common shape. */
export function stopSequence(fields: unknown): string | null {
  if (!isObject(fields)) return null;
  const holder = isObject(fields.delta) ? fields.delta : fields;
  return typeof holder.stop_sequence === "string" ? holder.stop_sequence : null;
}
