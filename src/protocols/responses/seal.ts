import type { Opaque } from "../../core/generation.ts";
import { packOpaque, unpackOpaque } from "../shared/opaque.ts";

/**
 * Opaque reasoning in this style's shape: the `encrypted_content` of reasoning items, which clients hand back unread. What
 * belongs to a tool call or to text, which have no such member, follows them in an item of its own, as a seal.
 */
const MARK = "camino-of:";

/** Opaque reasoning of any family. */
export function encryptedContent(opaque: Opaque): string {
  return packOpaque(opaque);
}

/** What a vendor signed about a tool call, or about the text before (null). */
export function sealContent(opaque: Opaque, call_id: string | null): string {
  const id = call_id ?? "";
  return `${MARK}${id.length}:${id}:${packOpaque(opaque)}`;
}

/** What an item's `encrypted_content` holds: reasoning of its own, or the seal of something before it. */
export type Encrypted =
  | { readonly kind: "reasoning"; readonly opaque: Opaque }
  | { readonly kind: "seal"; readonly opaque: Opaque; readonly call_id: string | null };

const SEAL = new RegExp(`^${MARK}(\\d+):`);

/** Reads an `encrypted_content`. What this gateway did not write is the style's own. Null for a seal that is broken. */
export function readEncrypted(content: string, item_id: string | null): Encrypted | null {
  const head = SEAL.exec(content);
  if (head === null) return { kind: "reasoning", opaque: unpackOpaque(content) ?? own(content, item_id) };
  const start = head[0].length;
  const end = start + Number(head[1]);
  const opaque = unpackOpaque(content.slice(end + 1));
  const call_id = content.slice(start, end);
  return opaque === null ? null : { kind: "seal", opaque, call_id: call_id === "" ? null : call_id };
}

/** Whether the text of JSON may hold what this gateway wrote: vendors of this protocol cannot read that. */
export function hasOurs(json: string): boolean {
  return json.includes('"camino:') || json.includes(`"${MARK}`);
}

function own(data: string, item_id: string | null): Opaque {
  return { family: "openai", form: "encrypted", data, ...(item_id !== null && { id: item_id }) };
}
