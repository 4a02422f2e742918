import type { Opaque } from "../../core/answer/generation.ts";
import type { Vendor, VendorQuirks } from "../../core/catalog/catalog.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { GivenCallIds, LEGAL_CALL_IDS, needOtherIds } from "../shared/call-ids.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { mapItems, replaceMembers } from "../shared/json-members.ts";
import { isPacked, unpackOpaque } from "../shared/opaque.ts";
import { isCompaction, summaryIn } from "./compaction.ts";
import { mayHoldOwnContent, readEncrypted } from "./seal.ts";

/**
 * The JSON text of the input items for a vendor of this protocol; the same string where nothing has to change. For a
 * vendor without a developer role, that role becomes `system`. Reasoning that another vendor issued is left out, because this vendor
 * would refuse it, and a compaction of another is a 400 (docs/rulings.md 12, 192).
 */
export function relayedInput(
  text: string,
  input: readonly unknown[],
  vendor: Pick<Vendor, "id" | "issuer" | "quirks">,
): string {
  const { quirks } = vendor;
  const { no_developer_role } = quirks;
  const issuer = ownIssuer(vendor, "responses");
  const may_hold_ours = mayHoldOwnContent(text) || (issuer !== null && text.includes('"encrypted_content"'));
  const may_hold_internal = text.includes(`"${INTERNAL}"`);
  const ids = needOtherIds(callIdsOf(input), LEGAL_CALL_IDS.responses)
    ? new GivenCallIds(LEGAL_CALL_IDS.responses)
    : null;
  if (!no_developer_role && !may_hold_ours && !may_hold_internal && ids === null) return text;
  return mapItems(text, (sent, index) => {
    const item = input[index];
    const own = may_hold_ours ? withOwnItem(item, sent, { quirks, issuer, place: `input[${index}]` }) : sent;
    if (own === null) return null;
    const renamed = no_developer_role ? withoutDeveloper(item, own) : own;
    const own_only = may_hold_internal ? withoutInternal(item, renamed) : renamed;
    return ids === null ? own_only : withOtherId(item, own_only, ids);
  });
}

/**
 * The member of each item in which Codex sends metadata to its maker's server, for which it takes the gateway. Other
 * vendors refuse the member.
 */
const INTERNAL = "internal_chat_message_metadata_passthrough";

function withoutInternal(item: unknown, text: string): string {
  return isObject(item) && INTERNAL in item ? replaceMembers(text, new Map([[INTERNAL, null]])) : text;
}

interface CallItem {
  readonly type: string;
  readonly call_id: string;
}

function isOfCall(item: unknown): item is CallItem {
  return isObject(item) && typeof item.type === "string" && typeof item.call_id === "string" && item.call_id !== "";
}

function isOutput({ type }: CallItem): boolean {
  return type.endsWith("_output");
}

function* callIdsOf(input: readonly unknown[]): Iterable<string> {
  for (const item of input) if (isOfCall(item) && !isOutput(item)) yield item.call_id;
}

/** The item with an id of its call that OpenAI takes: not too long, and no other call's (docs/rulings.md 191). */
function withOtherId(item: unknown, text: string, ids: GivenCallIds): string {
  // Calls stand beside each other, with reasoning between them; what else there is comes from the client.
  const is_answer = isObject(item) && (item.type === "reasoning" || (isOfCall(item) && !isOutput(item)));
  if (!is_answer) ids.nextTurn();
  if (!isOfCall(item)) return text;
  const { call_id } = item;
  const given = isOutput(item) ? ids.ofResult(call_id) : ids.ofCall(call_id);
  return given === null || given === call_id ? text : replaceMembers(text, [["call_id", JSON.stringify(given)]]);
}

function withoutDeveloper(item: unknown, text: string): string {
  if (!isObject(item) || item.role !== "developer") return text;
  return replaceMembers(text, new Map([["role", '"system"']]));
}

/** The vendor that gets the items: its quirks, and its name where it issues its own values; and the place of the item. */
interface Taker {
  readonly quirks: VendorQuirks;
  readonly issuer: string | null;
  readonly place: string;
}

/** A summary that this gateway wrote becomes text again (docs/rulings.md 167). */
function withOwnItem(item: unknown, text: string, taker: Taker): string | null {
  const summary = isObject(item) ? summaryIn(item) : null;
  if (summary !== null)
    return JSON.stringify({ type: "message", role: "user", content: [{ type: "input_text", text: summary }] });
  if (!isObject(item) || typeof item.encrypted_content !== "string") return text;
  return isCompaction(item)
    ? withOwnCompaction(text, item.encrypted_content, taker)
    : withOwnReasoning(item, text, taker);
}

/**
 * A compaction of this issuer is unpacked. Throws 400 for another's: it stands for what was said before, which the model
 * would answer without (docs/rulings.md 80, 192).
 */
function withOwnCompaction(text: string, content: string, { issuer, place }: Taker): string {
  const opaque = unpackOpaque(content);
  const own = issuer ?? "openai";
  if (opaque?.family === own) return unpacked(text, opaque);
  if (opaque === null && issuer === null && !isPacked(content)) return text;
  const message = `'${place}' is a compaction that another vendor encrypted, which this model's vendor cannot read. Send the conversation itself, or use the model that compacted it.`;
  throw new GatewayError("unsupported_responses_feature", message, { param: place });
}

/**
 * Reasoning of this issuer is unpacked, with the id of its item. Of another issuer's reasoning only the text is kept,
 * for vendors that accept it; null otherwise.
 */
function withOwnReasoning(item: JsonRecord, text: string, { quirks, issuer }: Taker): string | null {
  if (item.type !== "reasoning" || typeof item.encrypted_content !== "string") return text;
  if (issuer === null && !mayHoldOwnContent(JSON.stringify(item.encrypted_content))) return text;
  const encrypted = readEncrypted(item.encrypted_content, null);
  if (encrypted?.kind !== "reasoning") return null;
  if (encrypted.opaque?.family !== (issuer ?? "openai")) {
    const [sent] = replayedText(reasoningText(item) || encrypted.hidden_text, quirks);
    return sent === undefined ? null : JSON.stringify(sent);
  }
  return unpacked(text, encrypted.opaque);
}

function unpacked(text: string, { data, id }: Opaque): string {
  const changes = new Map([
    ["encrypted_content", JSON.stringify(data)] as const,
    ["id", JSON.stringify(id) ?? null] as const,
  ]);
  return replaceMembers(text, changes);
}

/** The text of a reasoning item: the model's own words where the item has them, else the parts of their summary. */
export function reasoningText({ content, summary }: JsonRecord): string {
  const own = textsOf(content);
  return (own.length > 0 ? own : textsOf(summary)).join("\n\n");
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  const texts: string[] = [];
  for (const part of parts as readonly unknown[])
    if (isObject(part) && typeof part.text === "string") texts.push(part.text);
  return texts;
}

/**
 * Reasoning as an input item with plain text, for vendors that accept it; none for others: the public API refuses an
 * item that it did not write.
 */
export function replayedText(text: string, { reasoning_replay }: VendorQuirks): readonly JsonRecord[] {
  if (text === "" || (reasoning_replay !== "reasoning_content" && reasoning_replay !== "reasoning_details")) return [];
  return [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] }];
}
