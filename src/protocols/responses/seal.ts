import type { Opaque } from "../../core/answer/generation.ts";
import { isPacked, mayHoldPacked, packOpaque, packUnsigned, unpackOpaque, unpackUnsigned } from "../shared/opaque.ts";
import { type SealedName, textDigest } from "../shared/seals.ts";

/**
 * Opaque reasoning in this protocol's shape: the `encrypted_content` of reasoning items, which clients give back
 * unread. Calls and messages have no such member, so their seals follow them in a reasoning item of its own, which
 * names the call or text.
 */
const MARK = "camino-of:";
const TEXT_MARK = "camino-of-text:";

/** The `encrypted_content` for opaque reasoning of any family. */
export function encryptedContent(opaque: Opaque): string {
  return packOpaque(opaque);
}

/**
 * The `encrypted_content` of reasoning that its vendor did not sign: clients drop reasoning items without one. The text
 * itself is in the summary.
 */
export const UNSIGNED_CONTENT = packUnsigned("");

/**
 * The `encrypted_content` of a seal: the content that a vendor signed, and the id of the call or the digest of the text
 * that it belongs to.
 */
export function sealContent(opaque: Opaque, sealed: { readonly call_id: string } | { readonly text: string }): string {
  if ("text" in sealed) return `${TEXT_MARK}${textDigest(sealed.text)}:${packOpaque(opaque)}`;
  return `${MARK}${sealed.call_id.length}:${sealed.call_id}:${packOpaque(opaque)}`;
}

/**
 * The decoded `encrypted_content` of an item: its own reasoning, which may be unsigned, or the seal of a call or text.
 */
export type Encrypted =
  /** `hidden_text` is text of unsigned reasoning that the item does not show. */
  | { readonly kind: "reasoning"; readonly opaque: Opaque | null; readonly hidden_text: string }
  | { readonly kind: "seal"; readonly opaque: Opaque; readonly sealed: SealedName };

const SEAL = new RegExp(`^${MARK}(\\d+):`);
const TEXT_SEAL = new RegExp(`^${TEXT_MARK}([^:]*):`);

/**
 * Reads an `encrypted_content`. Content that this gateway did not write is a responses vendor's own. Null for content
 * that this gateway wrote and that is damaged (docs/rulings.md 79).
 */
export function readEncrypted(content: string, item_id: string | null): Encrypted | null {
  const text_head = TEXT_SEAL.exec(content);
  if (text_head !== null)
    return sealOf(content.slice(text_head[0].length), { kind: "text", digest: text_head[1] ?? "" });
  const head = SEAL.exec(content);
  if (head === null) return readReasoning(content, item_id);
  const start = head[0].length;
  const end = start + Number(head[1]);
  const id = content.slice(start, end);
  return id === "" ? null : sealOf(content.slice(end + 1), { kind: "call", id });
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

/** Whether a JSON text may hold content that this gateway wrote, which vendors of this protocol cannot read. */
export function mayHoldOwnContent(json: string): boolean {
  return mayHoldPacked(json) || json.includes(`"${MARK}`) || json.includes(`"${TEXT_MARK}`);
}

function own(data: string, item_id: string | null): Opaque {
  return { family: "openai", form: "encrypted", data, ...(item_id !== null && { id: item_id }) };
}
