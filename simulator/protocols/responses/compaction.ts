import { BadRequest } from "../../ask.ts";
import { checkSealMark, sealedText } from "../../seal.ts";
import { type Json, objectsOf } from "../read.ts";

/** Whether the input asks for the conversation to be compacted. */
export function wantsCompaction({ input }: Json): boolean {
  return Array.isArray(input) && objectsOf(input).at(-1)?.type === "compaction_trigger";
}

/** What a compaction says, and what a trigger asks for, as texts of a conversation; null for any other item. */
export function textOfCompaction(item: Json): string | null {
  if (item.type === "compaction") return sealedText(item.encrypted_content);
  return item.type === "compaction_trigger" ? "Write a summary." : null;
}

/** Refuses a trigger that is not last, and a compaction that no simulator made. True for any other item. */
export function checkCompaction(item: Json, at: string, is_last: boolean): boolean {
  if (item.type === "compaction") checkSealMark(item.encrypted_content, `${at}.encrypted_content`);
  else if (item.type !== "compaction_trigger") return true;
  else if (!is_last) throw new BadRequest("A compaction trigger must be the last input item.", at);
  return false;
}
