import type { Opaque, ReasoningPart } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { GivenCallIds, LEGAL_CALL_IDS, needOtherIds } from "../shared/call-ids.ts";
import { ownFamily } from "../shared/issuer.ts";
import {
  findMembers,
  itemTexts,
  type MemberChange,
  mapItems,
  memberText,
  replaceMembers,
} from "../shared/json-members.ts";
import { thinkingText } from "./decode-content.ts";
import { isPackedIn, signatureIn } from "./extra-content.ts";
import { holdsForeignDetails, ownDetails } from "./issued-details.ts";
import { readReplayed, TEXT_SEAL } from "./reasoning-details.ts";
import {
  type MessageDialect,
  type ReplayedAnswer,
  replayCallMembers,
  replayedFamilies,
  replayMembers,
  type SealedCall,
} from "./replay-reasoning.ts";
import { strictTurns } from "./strict-turns.ts";

/**
 * The text of a request's messages in the form that a vendor takes (docs/rulings.md 166), or null where no change is
 * needed. Every other byte stays. `textOf` gives the text of the member: it is cut out of the body only where it is
 * needed.
 */
export function relayedMessages(
  messages: readonly JsonRecord[],
  textOf: () => string,
  dialect: MessageDialect,
): string | null {
  if (!dialect.strict_turns && messages.every(isPlainTurn)) return null;
  const mended = relayedCalls(messages, textOf);
  const ordered = mended === null ? messages : parsed(mended);
  const changed = changedMessages(ordered, () => mended ?? textOf(), withoutOwnNotes(messages, dialect));
  const text = changed ?? mended;
  if (!dialect.strict_turns) return text;
  const sent = text === null ? messages : parsed(text);
  const turns = strictTurns(sent);
  return turns === sent ? text : JSON.stringify(turns);
}

/** A message that every vendor takes as it is: it has no call, no result and nothing that a model made. */
function isPlainTurn({ role }: JsonRecord): boolean {
  return role === "user" || role === "system";
}

function parsed(text: string): readonly JsonRecord[] {
  return JSON.parse(text) as readonly JsonRecord[];
}

/**
 * The member in which LiteLLM's client library notes what it did not know in an answer. The library sends the member back
 * with the answer; no vendor knows it, and strict vendors refuse it.
 */
const CLIENT_NOTES = "provider_specific_fields";

/** The dialect, which also refuses a client's own notes where an answer has them and its reasoning stays as it is. */
function withoutOwnNotes(messages: readonly JsonRecord[], dialect: MessageDialect): MessageDialect {
  if (dialect.shape !== undefined || !messages.some(holdsNotes)) return dialect;
  return { ...dialect, refused: [...dialect.refused, CLIENT_NOTES] };
}

function holdsNotes(message: JsonRecord): boolean {
  const { role, tool_calls: calls } = message;
  if (role !== "assistant") return false;
  if (message[CLIENT_NOTES] !== undefined) return true;
  return Array.isArray(calls) && calls.some((call) => isObject(call) && call[CLIENT_NOTES] !== undefined);
}

function changedMessages(
  messages: readonly JsonRecord[],
  textOf: () => string,
  dialect: MessageDialect,
): string | null {
  const changes_all = dialect.no_developer_role || dialect.shape !== undefined || dialect.refused.length > 0;
  if (!changes_all && !messages.some(mayHoldIssued)) return null;
  let texts: string[] | null = null;
  const textAt = (index: number): string => {
    texts ??= itemTexts(textOf());
    return texts[index] ?? "";
  };
  const changed = new Map<number, string>();
  for (const [index, message] of messages.entries()) {
    const changes = changesOf(message, dialect, () => textAt(index));
    if (changes.length > 0) changed.set(index, replaceMembers(textAt(index), changes));
  }
  return changed.size === 0 ? null : mapItems(textOf(), (text, index) => changed.get(index) ?? text);
}

/** Whether a message has a place for values with an issuer's name. */
function mayHoldIssued(message: JsonRecord): boolean {
  return Array.isArray(message.reasoning_details) || callsOf(message).some(({ wire }) => isPackedIn(wire));
}

function changesOf(message: JsonRecord, dialect: MessageDialect, textOf: () => string): readonly MemberChange[] {
  if (message.role === "developer") return dialect.no_developer_role ? [["role", '"system"']] : [];
  if (message.role !== "assistant") return [];
  const { refused } = dialect;
  const own = refused.includes("reasoning_details") ? [] : withOwnDetails(message, dialect, textOf);
  if (refused.length > 0) return [...withoutRefused(message, refused, textOf), ...own];
  const replayed = dialect.shape === undefined ? [] : withReasoning(message, dialect, textOf);
  const unsigned = dialect.shape === "extra_content" ? [] : withoutPackedSignatures(message, textOf);
  return [...replayed, ...own, ...unsigned];
}

/**
 * Changes the reasoning that the client kept to the shape that the vendor takes, where the message has another shape.
 */
function withReasoning(message: JsonRecord, dialect: MessageDialect, textOf: () => string): readonly MemberChange[] {
  const answer = replayedAnswer(message, dialect);
  const members = Object.entries(replayMembers(answer, dialect)).filter(([name]) => (message[name] ?? null) === null);
  const changes = members.map(([name, value]): MemberChange => [name, JSON.stringify(value)]);
  const signed =
    dialect.shape === "extra_content" ? withSignatures(callsOf(message), answer.calls, dialect, textOf) : null;
  return signed === null ? changes : [...changes, ["tool_calls", signed]];
}

/** The details that the client kept, with the vendor's own values as it wrote them and without those of others (docs/rulings.md 192). */
function withOwnDetails(message: JsonRecord, dialect: MessageDialect, textOf: () => string): readonly MemberChange[] {
  if (!holdsForeignDetails(message, dialect.issuer)) return ownDetails(message, dialect.issuer, textOf);
  const in_details: MessageDialect = { ...dialect, shape: "reasoning_details" };
  const { reasoning_details } = replayMembers(replayedAnswer(message, in_details), in_details);
  return [["reasoning_details", reasoning_details === undefined ? null : JSON.stringify(reasoning_details)]];
}

/** The message's reasoning and seals, without opaque values that the vendor cannot read. */
function replayedAnswer(message: JsonRecord, { shape, issuer }: MessageDialect): ReplayedAnswer {
  const calls = callsOf(message);
  const { parts, seals } = readReplayed(message, new Set(calls.map(({ id }) => id)));
  const families = replayedFamilies(shape);
  const ownOf = (opaque: Opaque | null | undefined): Opaque | null => {
    if (!opaque) return null;
    // What Google signs in `extra_content` stays as it is.
    const family = shape === "extra_content" ? opaque.family : ownFamily(issuer, opaque.family);
    return family !== null && families.includes(family) ? { ...opaque, family } : null;
  };
  return {
    reasoning: (parts.length > 0 ? parts : thoughtsIn(message.content)).flatMap(({ opaque, ...part }) => {
      const own = ownOf(opaque);
      if (own !== null) return [{ ...part, opaque: own }];
      return part.text === "" ? [] : [part];
    }),
    text_seal: ownOf(seals.get(TEXT_SEAL)) ?? undefined,
    calls: calls.map(({ id, wire }) => ({ id, opaque: ownOf(signatureIn(wire)) ?? ownOf(seals.get(id)) })),
  };
}

interface RelayedCall {
  readonly id: string;
  readonly wire: JsonRecord;
}

function callsOf({ tool_calls }: JsonRecord): readonly RelayedCall[] {
  if (!Array.isArray(tool_calls)) return [];
  return tool_calls.filter(isObject).map((wire) => ({ id: plainText(wire.id), wire }));
}

/** Thinking as parts of the content, in Mistral's shape. */
function thoughtsIn(content: unknown): readonly ReasoningPart[] {
  if (!Array.isArray(content)) return [];
  const thoughts = content.filter((part) => isObject(part) && part.type === "thinking");
  return thoughts.map(({ thinking }: JsonRecord) => ({ type: "reasoning", text: thinkingText(thinking) }));
}

/** The text of the calls with missing signatures added; null where none is missing. */
function withSignatures(
  calls: readonly RelayedCall[],
  sealed: readonly SealedCall[],
  dialect: MessageDialect,
  textOf: () => string,
): string | null {
  const wanted = replayCallMembers(sealed, dialect).map(({ extra_content }, at) => {
    const call = calls[at]?.wire ?? {};
    if (isPackedIn(call)) return extra_content === undefined ? withoutSignature(call) : withMore(call, extra_content);
    return extra_content === undefined || signatureIn(call) !== null ? null : withMore(call, extra_content);
  });
  return withMember("extra_content", wanted, textOf);
}

function withMore({ extra_content: kept }: JsonRecord, extra: JsonRecord): string {
  return JSON.stringify({ ...(isObject(kept) && kept), ...extra });
}

function withoutSignature({ extra_content: kept }: JsonRecord): string | typeof REMOVED {
  const { google: _, ...rest } = isObject(kept) ? kept : {};
  return Object.keys(rest).length === 0 ? REMOVED : JSON.stringify(rest);
}

/** The calls without signatures that another vendor than Google made, which no vendor of chat takes back (docs/rulings.md 192). */
function withoutPackedSignatures(message: JsonRecord, textOf: () => string): readonly MemberChange[] {
  const held = callsOf(message).map(({ wire }) => (isPackedIn(wire) ? withoutSignature(wire) : null));
  const calls = withMember("extra_content", held, textOf);
  return calls === null ? [] : [["tool_calls", calls]];
}

function withoutRefused(
  message: JsonRecord,
  refused: readonly string[],
  textOf: () => string,
): readonly MemberChange[] {
  const changes = refused.filter((name) => message[name] !== undefined).map((name): MemberChange => [name, null]);
  let calls: string | null = null;
  for (const name of refused) {
    const held = callsOf(message).map(({ wire }) => (wire[name] === undefined ? null : REMOVED));
    calls = withMember(name, held, () => (calls === null ? textOf() : `{"tool_calls":${calls}}`)) ?? calls;
  }
  return calls === null ? changes : [...changes, ["tool_calls", calls]];
}

const REMOVED = Symbol("removed");

/** The text of the message's calls with a member set or removed in some of them; null where none changes. */
function withMember(
  name: string,
  values: readonly (string | typeof REMOVED | null)[],
  textOf: () => string,
): string | null {
  if (values.every((value) => value === null)) return null;
  const message = textOf();
  return mapItems(memberText(message, findMembers(message), "tool_calls") ?? "[]", (call, index) => {
    const value = values[index] ?? null;
    return value === null ? call : replaceMembers(call, [[name, value === REMOVED ? null : value]]);
  });
}

/**
 * The text of relayed messages with each result in the row behind its calls, whatever stood between them, and with
 * ids that OpenAI takes: not too long, and all different (docs/rulings.md 191); null where nothing has to change, which is nearly
 * always. A message moves as it was sent.
 */
export function relayedCalls(messages: readonly JsonRecord[], textOf: () => string): string | null {
  const is_odd = needOtherIds(callIdsOf(messages), LEGAL_CALL_IDS.chat);
  const is_parted = messages.some(({ role }, index) => role === "tool" && !mayPrecedeResult(messages[index - 1]));
  if (!is_odd && !is_parted) return null;
  const text = is_odd ? withOtherIds(messages, textOf()) : textOf();
  if (!is_parted) return text;
  const rows: string[][] = [];
  let answer: string[] | null = null;
  for (const [index, item] of itemTexts(text).entries()) {
    const { role } = messages[index] ?? {};
    if (role === "tool" && answer !== null) answer.push(item);
    else rows.push([item]);
    if (role === "assistant") answer = rows.at(-1) ?? null;
  }
  return `[${rows.flat().join(",")}]`;
}

function mayPrecedeResult(message: JsonRecord | undefined): boolean {
  return message?.role === "tool" || message?.role === "assistant";
}

function answerCalls({ role, tool_calls }: JsonRecord): readonly unknown[] {
  return role === "assistant" && Array.isArray(tool_calls) ? tool_calls : [];
}

function* callIdsOf(messages: readonly JsonRecord[]): Iterable<string> {
  for (const message of messages)
    for (const call of answerCalls(message)) if (isObject(call) && typeof call.id === "string") yield call.id;
}

function withOtherIds(messages: readonly JsonRecord[], text: string): string {
  const ids = new GivenCallIds(LEGAL_CALL_IDS.chat);
  return mapItems(text, (item, index) => {
    const message = messages[index] ?? {};
    const { role, tool_call_id } = message;
    if (role === "tool" && typeof tool_call_id === "string")
      return withId(item, "tool_call_id", tool_call_id, ids.ofResult(tool_call_id));
    const calls = answerCalls(message);
    if (calls.length === 0) return item;
    ids.nextTurn();
    const sent = memberText(item, findMembers(item), "tool_calls") ?? "[]";
    const changed = mapItems(sent, (call, at) => {
      const { id } = isObject(calls[at]) ? calls[at] : {};
      return typeof id === "string" ? withId(call, "id", id, ids.ofCall(id)) : call;
    });
    return changed === sent ? item : replaceMembers(item, [["tool_calls", changed]]);
  });
}

function withId(text: string, name: string, id: string, given: string | null): string {
  return given === null || given === id ? text : replaceMembers(text, [[name, JSON.stringify(given)]]);
}
