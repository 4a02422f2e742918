import type { Opaque, OpaqueFamily, ReasoningPart } from "../../core/answer/generation.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { issued, passedOn, splitFamily } from "../shared/issuer.ts";
import { isPacked, unpackOpaque } from "../shared/opaque.ts";

/**
 * Signed and encrypted reasoning in chat's shape. The public API has no field for it; `reasoning_details`, as OpenRouter
 * publishes it on messages and deltas, is what agents already keep and send back. `format` says how a value is written, not whose it is:
 * the value of a vendor that passes others' formats on says so itself (docs/rulings.md 192).
 */

export type ReasoningDetail = { readonly index: number; readonly format: string; readonly id?: string } & (
  | { readonly type: "reasoning.text"; readonly text: string; readonly signature?: string }
  | { readonly type: "reasoning.summary"; readonly summary: string }
  | { readonly type: "reasoning.encrypted"; readonly data: string }
);

const FORMATS: Readonly<Record<OpaqueFamily, string | undefined>> = {
  openai: "openai-responses-v1",
  anthropic: "anthropic-claude-v1",
  google: "google-gemini-v1",
  bedrock: "bedrock-converse-v1",
};

/** Before the form and the name of an issuer that has no published format. */
const ISSUED = "camino:";

function formatOf({ family, form }: Opaque): string {
  return FORMATS[splitFamily(family).family] ?? `${ISSUED}${form}:${family}`;
}

function dataOf({ family, form, data }: Opaque): string {
  const { issuer } = splitFamily(family);
  return issuer === null ? data : issued(issuer, { form, data });
}

/** Whether an issuer's clients get values of this format as the issuer wrote them. */
export function isPlainFormat(format: unknown, issuer: string): boolean {
  const family = issuerIn(format, "signature")?.family;
  return family !== undefined && FORMATS[family] !== undefined && passedOn(issuer, family) === family;
}

/** The issuer and the form by a format; null for a format that is not known. `form`: where the format does not say it. */
function issuerIn(format: unknown, form: Opaque["form"]): Pick<Opaque, "family" | "form"> | null {
  const family = Object.keys(FORMATS).find((one) => FORMATS[one] === format);
  if (family !== undefined) return { family, form: form === "redacted" && family === "openai" ? "encrypted" : form };
  if (typeof format !== "string" || !format.startsWith(ISSUED)) return null;
  const [, said, ...rest] = format.split(":");
  const known = (["signature", "encrypted", "redacted"] as const).find((one) => one === said);
  return known === undefined ? null : { family: rest.join(":"), form: known };
}

const UNKNOWN_FORMAT = "unknown";

/** The id of a detail that seals the answer's text; a detail that seals a tool call has the call's id. */
export const TEXT_SEAL = "content";

/**
 * One block of reasoning, as details from `index` on. Encrypted reasoning has its visible text, a summary, before it.
 */
export function reasoningDetails(text: string, opaque: Opaque | undefined, index: number): readonly ReasoningDetail[] {
  if (opaque === undefined) return [{ type: "reasoning.text", text, format: UNKNOWN_FORMAT, index }];
  const format = formatOf(opaque);
  const id = opaque.id === undefined ? {} : { id: opaque.id };
  if (opaque.form === "signature")
    return [{ type: "reasoning.text", text, signature: dataOf(opaque), ...id, format, index }];
  const summary = text === "" ? [] : [{ type: "reasoning.summary" as const, summary: text, ...id, format, index }];
  const encrypted = { type: "reasoning.encrypted" as const, data: dataOf(opaque), ...id, format };
  return [...summary, { ...encrypted, index: index + summary.length }];
}

/** The detail that carries the seal of a tool call or of the answer's text (docs/rulings.md 72). */
export function sealDetail(opaque: Opaque, id: string, index: number): ReasoningDetail {
  return { type: "reasoning.encrypted", data: dataOf(opaque), id, format: formatOf(opaque), index };
}

/** A detail as read: its text may be empty, or its opaque value null. */
export interface ReadDetail {
  readonly type: ReasoningDetail["type"];
  readonly text: string;
  readonly opaque: Opaque | null;
  /**
   * The block that the detail belongs to: details with equal numbers are pieces of one block. Null where the sender
   * gives no number.
   */
  readonly index: number | null;
}

/**
 * Reads a detail; null for any other value. Opaque values of unknown origin are left out: no vendor could be identified
 * to get them back.
 */
export function readDetail(raw: unknown): ReadDetail | null {
  if (!isObject(raw)) return null;
  const index = typeof raw.index === "number" ? raw.index : null;
  switch (raw.type) {
    case "reasoning.text": {
      const opaque = readOpaque(raw, "signature", raw.signature);
      return { type: raw.type, text: stringOr(raw.text, ""), opaque, index };
    }
    case "reasoning.summary":
      return { type: raw.type, text: stringOr(raw.summary, ""), opaque: null, index };
    case "reasoning.encrypted": {
      return { type: raw.type, text: "", opaque: readOpaque(raw, "redacted", raw.data), index };
    }
    default:
      return null;
  }
}

function readOpaque(raw: Record<string, unknown>, form: Opaque["form"], data: unknown): Opaque | null {
  const named = issuerIn(raw.format, form);
  if (named === null || typeof data !== "string" || data === "") return null;
  const id = typeof raw.id === "string" && raw.id !== "" ? { id: raw.id } : {};
  if (!isPacked(data)) return { ...named, data, ...id };
  const packed = unpackOpaque(data);
  return packed && { ...named, family: passedOn(packed.family, named.family), data: packed.data, ...id };
}

/** Whether a detail seals a tool call or text instead of standing for reasoning of its own. */
export function sealsOtherPart(opaque: Opaque, call_ids: { has(id: string): boolean }): boolean {
  return opaque.id !== undefined && (opaque.id === TEXT_SEAL || call_ids.has(opaque.id));
}

/** An opaque value in the form of a seal of a call or text. */
export function asSeal({ family, data }: Opaque): Opaque {
  return { family, form: "signature", data };
}

/** The reasoning of a message that a client sends back, and the seals of its text and tool calls, by their ids. */
export interface ReplayedReasoning {
  readonly parts: readonly ReasoningPart[];
  readonly seals: ReadonlyMap<string, Opaque>;
}

/**
 * Reads the reasoning of a message: its details where it has them, because the plain text beside them repeats the same
 * reasoning with less information.
 */
export function readReplayed(message: JsonRecord, call_ids: ReadonlySet<string>): ReplayedReasoning {
  const details = Array.isArray(message.reasoning_details) ? message.reasoning_details.map(readDetail) : [];
  const seals = new Map<string, Opaque>();
  const parts: ReplayedPart[] = [];
  for (const detail of details) {
    if (detail === null) continue;
    const { opaque } = detail;
    if (opaque?.id !== undefined && sealsOtherPart(opaque, call_ids)) seals.set(opaque.id, asSeal(opaque));
    // Google's encrypted details are seals only: the seal of a call that is missing is dropped (docs/rulings.md 165).
    else if (opaque === null || splitFamily(opaque.family).family !== "google" || detail.type !== "reasoning.encrypted")
      addPiece(parts, detail);
  }
  if (parts.length > 0) return { parts: parts.map(asPart), seals };
  const text = stringOr(message.reasoning_content, stringOr(message.reasoning, ""));
  return { parts: text === "" ? [] : [{ type: "reasoning", text }], seals };
}

type ReplayedPart = { -readonly [Name in keyof ReadDetail]: ReadDetail[Name] };

/**
 * Adds a detail to the parts. Clients may send the pieces of a stream as received: text in many details, the signature
 * in the last.
 */
function addPiece(parts: ReplayedPart[], piece: ReadDetail): void {
  const last = parts.at(-1);
  const is_open = last !== undefined && last.opaque === null;
  const is_more = is_open && last.type === piece.type && last.index === piece.index;
  // A summary is followed by the encrypted reasoning that it summarizes.
  const is_sealed = is_open && last.type === "reasoning.summary" && piece.type === "reasoning.encrypted";
  if (is_more || is_sealed) {
    last.text += piece.text;
    last.opaque = piece.opaque;
  } else if (piece.text !== "" || piece.opaque !== null) parts.push({ ...piece });
}

function asPart({ text, opaque }: ReadDetail): ReasoningPart {
  return { type: "reasoning", text, ...(opaque && { opaque }) };
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
