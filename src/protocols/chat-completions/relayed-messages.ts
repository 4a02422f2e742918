import type { OpaqueFamily, ReasoningPart } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { findItems, findMembers, type MemberChange, memberText, replaceMembers } from "../shared/json-members.ts";
import { signatureIn } from "./extra-content.ts";
import type { MessageDialect } from "./message-dialect.ts";
import { readReplayed, TEXT_SEAL } from "./reasoning-details.ts";
import { relayedCalls } from "./relayed-calls.ts";
import { replayCallMembers, replayedFamilies, replayMembers, type SealedCall } from "./replay-reasoning.ts";
import { strictTurns } from "./strict-turns.ts";
import { thinkingText } from "./thinking-text.ts";

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
  const mended = relayedCalls(messages, textOf);
  const ordered = mended === null ? messages : parsed(mended);
  const changed = changedMessages(ordered, () => mended ?? textOf(), withoutOwnNotes(messages, dialect));
  const text = changed ?? mended;
  if (!dialect.strict_turns) return text;
  const sent = text === null ? messages : parsed(text);
  const turns = strictTurns(sent);
  return turns === sent ? text : JSON.stringify(turns);
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
  if (!dialect.no_developer_role && dialect.shape === undefined && dialect.refused.length === 0) return null;
  const places = new LazyItems(textOf);
  let out = "";
  let from = 0;
  for (const [index, message] of messages.entries()) {
    const changes = changesOf(message, dialect, () => places.text(index));
    if (changes.length === 0) continue;
    const { start, end } = places.place(index);
    out += places.all.slice(from, start) + replaceMembers(places.text(index), changes);
    from = end;
  }
  return from === 0 ? null : out + places.all.slice(from);
}

/** The items of an array's text, found when the first of them is read. */
class LazyItems {
  readonly #textOf: () => string;
  #text: string | null = null;
  #places: ReturnType<typeof findItems> = [];

  constructor(textOf: () => string) {
    this.#textOf = textOf;
  }

  get all(): string {
    if (this.#text === null) {
      this.#text = this.#textOf();
      this.#places = findItems(this.#text, 0);
    }
    return this.#text;
  }

  place(index: number): { readonly start: number; readonly end: number } {
    const { length } = this.all;
    return this.#places[index] ?? { start: length, end: length };
  }

  text(index: number): string {
    const { start, end } = this.place(index);
    return this.all.slice(start, end);
  }
}

function changesOf(message: JsonRecord, dialect: MessageDialect, textOf: () => string): readonly MemberChange[] {
  if (message.role === "developer") return dialect.no_developer_role ? [["role", '"system"']] : [];
  if (message.role !== "assistant") return [];
  if (dialect.refused.length > 0) return withoutRefused(message, dialect.refused, textOf);
  return dialect.shape === undefined ? [] : withReasoning(message, dialect, textOf);
}

/**
 * Changes the reasoning that the client kept to the shape that the vendor takes, where the message has another shape.
 */
function withReasoning(message: JsonRecord, dialect: MessageDialect, textOf: () => string): readonly MemberChange[] {
  const calls = callsOf(message);
  const { parts, seals } = readReplayed(message, new Set(calls.map(({ id }) => id)));
  const families = replayedFamilies(dialect.shape);
  const sealed = calls.map((call) => ({
    id: call.id,
    opaque: signatureIn(call.wire) ?? seals.get(call.id) ?? null,
  }));
  const answer = {
    reasoning: ownReasoning(parts.length > 0 ? parts : thoughtsIn(message.content), families),
    text_seal: seals.get(TEXT_SEAL),
    calls: sealed,
  };
  const members = Object.entries(replayMembers(answer, dialect)).filter(([name]) => (message[name] ?? null) === null);
  const changes = members.map(([name, value]): MemberChange => [name, JSON.stringify(value)]);
  const signed = dialect.shape === "extra_content" ? withSignatures(calls, sealed, dialect, textOf) : null;
  return signed === null ? changes : [...changes, ["tool_calls", signed]];
}

/** Reasoning without opaque values that only another family could read. */
function ownReasoning(parts: readonly ReasoningPart[], families: readonly OpaqueFamily[]): readonly ReasoningPart[] {
  return parts.map(({ opaque, ...part }) => (opaque && families.includes(opaque.family) ? { ...part, opaque } : part));
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
    if (extra_content === undefined || signatureIn(call) !== null) return null;
    const kept = isObject(call.extra_content) ? call.extra_content : {};
    return JSON.stringify({ ...kept, ...extra_content });
  });
  return withMember("extra_content", wanted, textOf);
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
  const text = memberText(message, findMembers(message), "tool_calls") ?? "[]";
  let out = "";
  let from = 0;
  for (const [index, { start, end }] of findItems(text, 0).entries()) {
    const value = values[index] ?? null;
    if (value === null) continue;
    const change: MemberChange = [name, value === REMOVED ? null : value];
    out += text.slice(from, start) + replaceMembers(text.slice(start, end), [change]);
    from = end;
  }
  return out + text.slice(from);
}
