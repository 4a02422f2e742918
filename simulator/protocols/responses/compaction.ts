import { BadRequest } from "../../ask.ts";
import { checkSealMark, sealedText } from "../../seal.ts";
import { type Json, objectsOf } from "../read.ts";

/** Whether the input asks for the conversation to be compacted. */
export function wantsCompaction({ input }: Json): boolean {
  return Array.isArray(input) && objectsOf(input).at(-1)?.type === "compaction_trigger";
}

/** The text of a compaction, or of the request for one; null for any other item. */
export function textOfCompaction(item: Json): string | null {
  if (item.type === "compaction") return sealedText(item.encrypted_content);
  return item.type === "compaction_trigger" ? "Write a summary." : null;
}

/**
 * Checks the place of a trigger, which must be last, and the origin of a compaction, which a simulator must have made.
 * True for any other item.
 */
export function checkCompaction(item: Json, at: string, is_last: boolean): boolean {
  if (item.type === "compaction") checkSealMark(item.encrypted_content, `${at}.encrypted_content`);
  else if (item.type !== "compaction_trigger") return true;
  else if (!is_last) throw new BadRequest("A compaction trigger must be the last input item.", at);
  return false;
}
