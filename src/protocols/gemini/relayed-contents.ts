import type { Vendor } from "../../core/catalog/catalog.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { parseExact } from "../shared/exact-json.ts";
import { ownIssuer } from "../shared/issuer.ts";
import { NO_CONTENT } from "../shared/substitute-texts.ts";
import { isSeal, mayHoldSeal, readSeal } from "./thought-seal.ts";

/** The target of a relayed conversation, as far as its contents depend on it. */
export interface ContentsTarget {
  readonly vendor: Pick<Vendor, "id" | "issuer" | "quirks">;
  /** Models of this generation want a signature on the first call of each turn. */
  readonly is_gemini_3: boolean;
}

/** Google's own placeholder for a signature that is not known (docs/rulings.md 93). */
const UNKNOWN = "skip_thought_signature_validator";

/** An empty text: streams end with one, and Google's servers refuse it in the turns that clients send back. */
const EMPTY_TEXT = /"text"\s*:\s*""/;

/**
 * The JSON text of a relayed conversation with the signatures that its target can read (docs/rulings.md 192, 218), as whole turns
 * without empty texts, and without the ids of calls where the target has none; null where nothing has to change.
 */
export function relayedContents(
  text: string,
  sent: readonly unknown[],
  { vendor, is_gemini_3 }: ContentsTarget,
): string | null {
  const issuer = ownIssuer(vendor, "gemini");
  const lacks_ids = vendor.quirks.no_call_ids === true && text.includes('"id"');
  const is_foreign = issuer !== null && text.includes('"thoughtSignature"');
  const turns = wholeTurns(sent);
  const is_ordered = turns === sent && resultsBehindCalls(sent) === sent && !isModels(sent[0]);
  const lacks_signature =
    is_gemini_3 && turns.some((turn) => isModels(turn) && withFirstSigned(turn.parts) !== turn.parts);
  const is_right = is_ordered && !lacks_ids && !is_foreign && !lacks_signature;
  if (is_right && !mayHoldSeal(text) && !EMPTY_TEXT.test(text)) return null;
  const contents: unknown = parseExact(text);
  if (!Array.isArray(contents)) return null;
  const family = issuer ?? "google";
  const rules = { family, is_google: issuer === null, lacks_ids };
  const changed = wholeTurns(contents).map((content) => relayedTurn(content, rules, is_gemini_3));
  if (is_ordered && changed.every((content, at) => content === contents[at])) return null;
  const ordered = resultsBehindCalls(changed.filter((content) => content !== null));
  // The API refuses a conversation that the model begins (docs/rulings.md 168).
  return JSON.stringify(isModels(ordered[0]) ? [{ role: "user", parts: [{ text: NO_CONTENT }] }, ...ordered] : ordered);
}

function isModels(content: unknown): content is GeminiTurn {
  return isObject(content) && content.role === "model" && Array.isArray(content.parts);
}

type GeminiTurn = JsonRecord & { readonly parts: readonly unknown[] };

/**
 * The conversation with each streamed answer as one turn: clients keep each of its pieces as a turn, and Google's servers refuse a call that
 * does not directly follow a turn of the user. The given list where no turn of the model follows another.
 */
function wholeTurns(contents: readonly unknown[]): readonly unknown[] {
  if (!contents.some((content, at) => at > 0 && isModels(content) && isModels(contents[at - 1]))) return contents;
  const turns: unknown[] = [];
  let parts: unknown[] = [];
  for (const content of contents) {
    if (!isModels(content)) turns.push(content);
    else if (isModels(turns.at(-1))) for (const part of content.parts) parts.push(part);
    else {
      parts = [...content.parts];
      turns.push({ ...content, parts });
    }
  }
  return turns;
}

/** The turn itself where it stays as it is; null for one that holds nothing but empty texts. */
function relayedTurn(content: unknown, rules: SignatureRules, is_gemini_3: boolean): unknown {
  if (!isObject(content) || !Array.isArray(content.parts)) return content;
  const sent: readonly unknown[] = content.parts;
  const parts = sent.map((part) => (isObject(part) ? relayedPart(part, rules) : part));
  const signed = is_gemini_3 && content.role === "model" ? withFirstSigned(parts) : parts;
  const filled = content.role === "model" ? signed.filter((part) => !isEmpty(part)) : signed;
  if (filled.length === sent.length && filled.every((part, at) => part === sent[at])) return content;
  return filled.length === 0 ? null : { ...content, parts: filled };
}

function isEmpty(part: unknown): boolean {
  return isObject(part) && part.text === "" && (part.thoughtSignature ?? "") === "";
}

interface SignatureRules {
  readonly family: string;
  readonly is_google: boolean;
  readonly lacks_ids: boolean;
}

function relayedPart(part: JsonRecord, { family, is_google, lacks_ids }: SignatureRules): JsonRecord {
  let changed: Record<string, unknown> | null = null;
  const { thoughtSignature: signature } = part;
  if (typeof signature === "string" && signature !== "" && (isSeal(signature) || !is_google)) {
    const { own } = readSeal(signature);
    const { thoughtSignature: _, ...rest } = part;
    changed =
      own?.family === family && own.form === "signature" ? { ...rest, thoughtSignature: own.data } : { ...rest };
  }
  for (const name of ["functionCall", "functionResponse"]) {
    const member = part[name];
    if (!lacks_ids || !isObject(member) || member.id === undefined) continue;
    const { id: _, ...rest } = member;
    changed = { ...(changed ?? part), [name]: rest };
  }
  return changed ?? part;
}

/** The parts with the placeholder on the first call of a turn, where its signature is another vendor's or was lost. */
function withFirstSigned(parts: readonly unknown[]): readonly unknown[] {
  const first = parts.findIndex((part) => isObject(part) && isObject(part.functionCall));
  const call = parts[first];
  if (!isObject(call) || (call.thoughtSignature ?? "") !== "") return parts;
  return parts.with(first, { ...call, thoughtSignature: UNKNOWN });
}

/**
 * The conversation with all results of a turn's calls in one turn directly after it, in the order of the calls: Google's servers refuse
 * other orders, and turns in between. The given list where nothing has to change.
 */
function resultsBehindCalls(turns: readonly unknown[]): readonly unknown[] {
  let ordered: unknown[] | null = null;
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at];
    ordered?.push(turn);
    const calls =
      isTurn(turn) && turn.role === "model" ? turn.parts.flatMap((part) => memberOf(part, "functionCall")) : [];
    if (calls.length === 0) continue;
    const between = untilNextAnswer(turns, at);
    const told = between.flatMap((later) => (isTurn(later) ? later.parts.filter(isResult) : []));
    const results = inOrderOf(calls, told);
    const next = between[0];
    if (told.length === 0 || (isTurn(next) && isSame(next.parts, results))) continue;
    ordered ??= turns.slice(0, at + 1);
    ordered.push({ role: "user", parts: results });
    for (const later of between) {
      const rest = isTurn(later) ? later.parts.filter((part) => !isResult(part)) : null;
      if (rest === null) ordered.push(later);
      else if (rest.length > 0) ordered.push({ ...(later as GeminiTurn), parts: rest });
    }
    at += between.length;
  }
  return ordered ?? turns;
}

function untilNextAnswer(turns: readonly unknown[], at: number): readonly unknown[] {
  let end = at + 1;
  for (; end < turns.length; end++) {
    const later = turns[end];
    if (isTurn(later) && later.role === "model") break;
  }
  return turns.slice(at + 1, end);
}

/** The results in the order of their calls, by ids or else by names; those that answer none come last. */
function inOrderOf(calls: readonly JsonRecord[], told: readonly unknown[]): readonly unknown[] {
  const waiting = [...told];
  const ordered = calls.flatMap(({ id, name }) => {
    const at = waiting.findIndex((part) => {
      const [result = {}] = memberOf(part, "functionResponse");
      const by_id = typeof id === "string" && id !== "" && typeof result.id === "string" && result.id !== "";
      return result.name === name && (!by_id || result.id === id);
    });
    return at === -1 ? [] : waiting.splice(at, 1);
  });
  return [...ordered, ...waiting];
}

function isSame(parts: readonly unknown[], results: readonly unknown[]): boolean {
  return parts.length === results.length && parts.every((part, at) => part === results[at]);
}

function isTurn(turn: unknown): turn is GeminiTurn {
  return isObject(turn) && Array.isArray(turn.parts);
}

function isResult(part: unknown): boolean {
  return memberOf(part, "functionResponse").length > 0;
}

function memberOf(part: unknown, name: "functionCall" | "functionResponse"): JsonRecord[] {
  const member = isObject(part) ? part[name] : undefined;
  return isObject(member) ? [member] : [];
}
