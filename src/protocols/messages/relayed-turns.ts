import type { VendorQuirks } from "../../core/catalog.ts";
import { isObject, plainText } from "../../core/json.ts";
import { findItems, findMembers, memberText, replaceMembers } from "../shared/json-members.ts";
import { isPacked, mayHoldPacked } from "../shared/opaque.ts";
import { readRedacted, readSignature } from "./opaque-values.ts";
import { lacksThinking, takesUnsigned, unsignedThinking } from "./replayed-thinking.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The JSON text of `messages` for a vendor of this protocol, or null where nothing has to change; every other byte
 * stays. Reasoning that this gateway packed for the client on a model of another protocol is left out, because this
 * vendor would refuse it (docs/rulings.md 12). Vendors that require thinking beside calls get it, empty where the
 * client kept none, unless the request turns thinking off (docs/rulings.md 166).
 */
export function relayedTurns(
  turns: readonly Fields[],
  text: string,
  quirks: VendorQuirks,
  is_off: boolean,
): string | null {
  const may_hold_packed = mayHoldPacked(text);
  const adds = takesUnsigned(quirks) && !is_off;
  if (!may_hold_packed && !adds) return null;
  const kept: string[] = [];
  let is_same = true;
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const sent = text.slice(start, end);
    const relayed = relayedTurn(turns[index] ?? {}, sent, quirks, adds);
    if (relayed !== sent) is_same = false;
    if (relayed !== null) kept.push(relayed);
  }
  return is_same ? null : `[${kept.join(",")}]`;
}

/** The text of a turn; null for an answer without remaining blocks. */
function relayedTurn({ role, content }: Fields, text: string, quirks: VendorQuirks, adds: boolean): string | null {
  if (role !== "assistant" || !Array.isArray(content)) return text;
  const blocks = content.filter(isObject);
  if (!blocks.some(isOurs) && !(adds && lacksThinking(blocks as { type: never }[]))) return text;
  const sent = memberText(text, findMembers(text), "content") ?? "[]";
  const relayed = findItems(sent, 0).map(({ start, end }, at) =>
    relayedBlock(blocks[at] ?? {}, sent.slice(start, end), quirks),
  );
  const kept = relayed.filter((block) => block !== null);
  const left = blocks.filter((_, at) => relayed[at] !== null);
  if (adds && lacksThinking(left as { type: never }[])) kept.unshift(JSON.stringify(unsignedThinking("")));
  return kept.length === 0 ? null : replaceMembers(text, [["content", `[${kept.join(",")}]`]]);
}

function isOurs({ type, signature, data }: Fields): boolean {
  const opaque = type === "thinking" ? signature : type === "redacted_thinking" ? data : null;
  return typeof opaque === "string" && isPacked(opaque);
}

/** The text of a block; null for a block that is removed. */
function relayedBlock(block: Fields, text: string, quirks: VendorQuirks): string | null {
  if (!isOurs(block)) return text;
  if (block.type === "redacted_thinking") {
    const redacted = readRedacted(plainText(block.data), -1);
    const is_own = redacted?.kind === "reasoning" && redacted.opaque.family === "anthropic";
    return is_own ? replaceMembers(text, [["data", JSON.stringify(redacted.opaque.data)]]) : null;
  }
  const { opaque, hidden_text } = readSignature(plainText(block.signature));
  const thinking = plainText(block.thinking) || hidden_text;
  if (opaque?.family === "anthropic") {
    const signature = ["signature", JSON.stringify(opaque.data)] as const;
    return replaceMembers(text, hidden_text === "" ? [signature] : [["thinking", JSON.stringify(thinking)], signature]);
  }
  return takesUnsigned(quirks) && thinking !== "" ? JSON.stringify(unsignedThinking(thinking)) : null;
}
