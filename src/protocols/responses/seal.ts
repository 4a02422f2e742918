import type { Opaque } from "../../core/generation.ts";
import { isPacked, mayHoldPacked, packOpaque, packUnsigned, unpackOpaque, unpackUnsigned } from "../shared/opaque.ts";
import { type SealedName, textDigest } from "../shared/seals.ts";

/**
 * Opaque reasoning in this style's shape: the `encrypted_content` of reasoning items, which clients hand back unread. What
 * belongs to a tool call or to text, which have no such member, follows them in an item of its own, as a seal, and names it.
 */
const MARK = "camino-of:";
const TEXT_MARK = "camino-of-text:";

/** Opaque reasoning of any family. */
export function encryptedContent(opaque: Opaque): string {
  return packOpaque(opaque);
}

/** The content of reasoning that its vendor did not sign: clients keep no item without. Its text is the summary. */
export const UNSIGNED_CONTENT = packUnsigned("");

/** What a vendor signed about a tool call or a text, which is named. */
export function sealContent(opaque: Opaque, sealed: { readonly call_id: string } | { readonly text: string }): string {
  if ("text" in sealed) return `${TEXT_MARK}${textDigest(sealed.text)}:${packOpaque(opaque)}`;
  return `${MARK}${sealed.call_id.length}:${sealed.call_id}:${packOpaque(opaque)}`;
}

/** What an item's `encrypted_content` holds: reasoning of its own, which may be unsigned, or the seal of something else. */
export type Encrypted =
  /** `hidden_text` is what an unsigned one holds of text that does not stand beside it. */
  | { readonly kind: "reasoning"; readonly opaque: Opaque | null; readonly hidden_text: string }
  | { readonly kind: "seal"; readonly opaque: Opaque; readonly sealed: SealedName };

const SEAL = new RegExp(`^${MARK}(\\d+):`);
const TEXT_SEAL = new RegExp(`^${TEXT_MARK}([^:]*):`);

/**
 * Reads an `encrypted_content`; `text_before` is the place of the last text before it. What this gateway did not write is
 * the style's own. Null for what it wrote and that is broken.
 */
export function readEncrypted(content: string, item_id: string | null, text_before = -1): Encrypted | null {
  const text_head = TEXT_SEAL.exec(content);
  if (text_head !== null)
    return sealOf(content.slice(text_head[0].length), { kind: "text", digest: text_head[1] ?? "" });
  const head = SEAL.exec(content);
  if (head === null) return readReasoning(content, item_id);
  const start = head[0].length;
  const end = start + Number(head[1]);
  const id = content.slice(start, end);
  return sealOf(content.slice(end + 1), id === "" ? { kind: "text-before", part: text_before } : { kind: "call", id });
}

function sealOf(packed: string, sealed: SealedName): Encrypted | null {
  const opaque = unpackOpaque(packed);
  return opaque === null ? null : { kind: "seal", opaque, sealed };
}

function readReasoning(content: string, item_id: string | null): Encrypted | null {
  if (!isPacked(content)) return { kind: "reasoning", opaque: own(content, item_id), hidden_text: "" };
  const opaque = unpackOpaque(content);
  const hidden_text = unpackUnsigned(content);
  if (opaque === null && hidden_text === null) return null;
  return { kind: "reasoning", opaque, hidden_text: hidden_text ?? "" };
}

/** Whether the text of JSON may hold what this gateway wrote: vendors of this protocol cannot read that. */
export function hasOurs(json: string): boolean {
  return mayHoldPacked(json) || json.includes(`"${MARK}`) || json.includes(`"${TEXT_MARK}`);
}

function own(data: string, item_id: string | null): Opaque {
  return { family: "openai", form: "encrypted", data, ...(item_id !== null && { id: item_id }) };
}
