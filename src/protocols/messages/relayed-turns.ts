import type { Vendor, VendorQuirks } from "../../core/catalog/catalog.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { findItems, findMembers, memberText, replaceMembers } from "../shared/json-members.ts";
import { isPacked } from "../shared/opaque.ts";
import { lacksThinking, takesUnsigned, unsignedThinking } from "./encode-messages.ts";
import { readRedacted, readSignature } from "./opaque-values.ts";

/**
 * The JSON text of `messages` for a vendor of this protocol, or null where nothing has to change; every other byte
 * stays. Reasoning that another vendor signed is left out, because this vendor would refuse it (docs/rulings.md 12, 192), and
 * where the protocol's maker checks all signatures, thinking without one. Vendors that require thinking beside calls get it, empty where the
 * client kept none, unless the request turns thinking off (docs/rulings.md 166).
 */
export function relayedTurns(
  turns: readonly JsonRecord[],
  text: string,
  vendor: Pick<Vendor, "id" | "issuer" | "quirks">,
  is_off: boolean,
): string | null {
  const target = { quirks: vendor.quirks, issuer: ownIssuer(vendor, "messages") };
  const adds = takesUnsigned(vendor.quirks) && !is_off;
  if (!adds && !turns.some(({ role, content }) => role === "assistant" && holdsForeign(content, target))) return null;
  const kept: string[] = [];
  let is_same = true;
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const sent = text.slice(start, end);
    const relayed = relayedTurn(turns[index] ?? {}, sent, target, adds);
    if (relayed !== sent) is_same = false;
    if (relayed !== null) kept.push(relayed);
  }
  return is_same ? null : `[${kept.join(",")}]`;
}

/** The vendor that gets the turns: its dialect, and its name where it issues its own signatures. */
interface TurnsTarget {
  readonly quirks: VendorQuirks;
  readonly issuer: string | null;
}

function holdsForeign(content: unknown, target: TurnsTarget): boolean {
  return Array.isArray(content) && content.some((block) => isObject(block) && mayBeForeign(block, target));
}

/** The text of a turn; null for an answer without remaining blocks. */
function relayedTurn({ role, content }: JsonRecord, text: string, target: TurnsTarget, adds: boolean): string | null {
  if (role !== "assistant" || !Array.isArray(content)) return text;
  const blocks = content.filter(isObject);
  if (!holdsForeign(content, target) && !(adds && lacksThinking(blocks as { type: never }[]))) return text;
  const sent = memberText(text, findMembers(text), "content") ?? "[]";
  const relayed = findItems(sent, 0).map(({ start, end }, at) =>
    relayedBlock(blocks[at] ?? {}, sent.slice(start, end), target),
  );
  const kept = relayed.filter((block) => block !== null);
  const left = blocks.filter((_, at) => relayed[at] !== null);
  if (adds && lacksThinking(left as { type: never }[])) kept.unshift(JSON.stringify(unsignedThinking("")));
  return kept.length === 0 ? null : replaceMembers(text, [["content", `[${kept.join(",")}]`]]);
}

/** Whether a block may have to change: it is thinking, and its value is not the target's own. */
function mayBeForeign({ type, signature, data }: JsonRecord, { issuer, quirks }: TurnsTarget): boolean {
  if (type !== "thinking" && type !== "redacted_thinking") return false;
  const opaque = type === "thinking" ? signature : data;
  if (typeof opaque === "string" && opaque !== "") return issuer !== null || isPacked(opaque);
  return opaque === null || (issuer === null && !takesUnsigned(quirks));
}

/** The text of a block; null for a block that is removed. */
function relayedBlock(block: JsonRecord, text: string, target: TurnsTarget): string | null {
  if (!mayBeForeign(block, target)) return text;
  const { quirks, issuer } = target;
  const own = issuer ?? "anthropic";
  if (block.type === "redacted_thinking") {
    const redacted = readRedacted(plainText(block.data));
    const is_own = redacted?.kind === "reasoning" && redacted.opaque.family === own;
    return is_own ? replaceMembers(text, [["data", JSON.stringify(redacted.opaque.data)]]) : null;
  }
  const signature = typeof block.signature === "string" ? block.signature : "";
  if (signature === "") {
    // Without a signature it is nobody's: the protocol's maker refuses it, and others never sign theirs.
    const is_refused = issuer === null && !takesUnsigned(quirks);
    return is_refused ? null : replaceMembers(text, [["signature", null]]);
  }
  const { opaque, hidden_text } = readSignature(signature);
  const thinking = plainText(block.thinking) || hidden_text;
  if (opaque?.family === own) {
    const signed = ["signature", JSON.stringify(opaque.data)] as const;
    return replaceMembers(text, hidden_text === "" ? [signed] : [["thinking", JSON.stringify(thinking)], signed]);
  }
  return takesUnsigned(quirks) && thinking !== "" ? JSON.stringify(unsignedThinking(thinking)) : null;
}
