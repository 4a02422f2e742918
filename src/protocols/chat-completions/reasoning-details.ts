import type { Opaque, OpaqueFamily, ReasoningPart } from "../../core/generation.ts";
import { isObject } from "../../core/json.ts";

/**
 * Signed and encrypted reasoning in chat's shape. The public API has no field for it; `reasoning_details`, as OpenRouter
 * publishes it on messages and deltas, is what agents already keep and send back.
 */

export type ReasoningDetail = { readonly index: number; readonly format: string; readonly id?: string } & (
  | { readonly type: "reasoning.text"; readonly text: string; readonly signature?: string }
  | { readonly type: "reasoning.summary"; readonly summary: string }
  | { readonly type: "reasoning.encrypted"; readonly data: string }
);

const FORMATS: Readonly<Record<OpaqueFamily, string>> = {
  openai: "openai-responses-v1",
  anthropic: "anthropic-claude-v1",
  google: "google-gemini-v1",
  bedrock: "bedrock-converse-v1",
};

const UNKNOWN_FORMAT = "unknown";

/** The id that a detail has which seals the answer's text; one that seals a tool call has the call's id. */
export const TEXT_SEAL = "content";

/** One block of reasoning, as details from `index` on. What is encrypted has its visible text, a summary, before it. */
export function reasoningDetails(text: string, opaque: Opaque | undefined, index: number): readonly ReasoningDetail[] {
  if (opaque === undefined) return [{ type: "reasoning.text", text, format: UNKNOWN_FORMAT, index }];
  const format = FORMATS[opaque.family];
  const id = opaque.id === undefined ? {} : { id: opaque.id };
  if (opaque.form === "signature")
    return [{ type: "reasoning.text", text, signature: opaque.data, ...id, format, index }];
  const summary = text === "" ? [] : [{ type: "reasoning.summary" as const, summary: text, ...id, format, index }];
  const encrypted = { type: "reasoning.encrypted" as const, data: opaque.data, ...id, format };
  return [...summary, { ...encrypted, index: index + summary.length }];
}

/** What seals a tool call or the answer's text. */
export function sealDetail(opaque: Opaque, id: string, index: number): ReasoningDetail {
  return { type: "reasoning.encrypted", data: opaque.data, id, format: FORMATS[opaque.family], index };
}

/** A detail as it was read: one of the two may be empty or null. */
export interface ReadDetail {
  readonly type: ReasoningDetail["type"];
  readonly text: string;
  readonly opaque: Opaque | null;
  /** What it belongs to: equal numbers are pieces of one block. Null where the sender does not say. */
  readonly index: number | null;
}

/** Null for what is no detail. Opaque values of unknown making are left out: they could be given back to nobody. */
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
      const form = raw.format === FORMATS.openai ? "encrypted" : "redacted";
      return { type: raw.type, text: "", opaque: readOpaque(raw, form, raw.data), index };
    }
    default:
      return null;
  }
}

function readOpaque(raw: Record<string, unknown>, form: Opaque["form"], data: unknown): Opaque | null {
  const family = (Object.keys(FORMATS) as OpaqueFamily[]).find((one) => FORMATS[one] === raw.format);
  if (family === undefined || typeof data !== "string" || data === "") return null;
  return { family, form, data, ...(typeof raw.id === "string" && raw.id !== "" && { id: raw.id }) };
}

/** Whether a detail seals a tool call or text instead of standing for reasoning of its own. */
export function sealsAnother(opaque: Opaque, call_ids: { has(id: string): boolean }): boolean {
  return opaque.id !== undefined && (opaque.id === TEXT_SEAL || call_ids.has(opaque.id));
}

/** The value that a detail seals something else with. */
export function asSeal({ family, data }: Opaque): Opaque {
  return { family, form: "signature", data };
}

/** The reasoning of a message that a client sends back, and what seals its text and tool calls, by their ids. */
export interface ReplayedReasoning {
  readonly parts: readonly ReasoningPart[];
  readonly seals: ReadonlyMap<string, Opaque>;
}

/** Details say more than the plain text beside them, which is the same reasoning once more. */
export function readReplayed(
  message: Readonly<Record<string, unknown>>,
  call_ids: ReadonlySet<string>,
): ReplayedReasoning {
  const details = Array.isArray(message.reasoning_details) ? message.reasoning_details.map(readDetail) : [];
  const seals = new Map<string, Opaque>();
  const parts: ReplayedPart[] = [];
  for (const detail of details) {
    if (detail === null) continue;
    const { opaque } = detail;
    if (opaque?.id !== undefined && sealsAnother(opaque, call_ids)) seals.set(opaque.id, asSeal(opaque));
    // Google encrypts nothing else: the seal of a call that is not there is dropped (docs/rulings.md 165).
    else if (opaque?.family !== "google" || detail.type !== "reasoning.encrypted") addPiece(parts, detail);
  }
  if (parts.length > 0) return { parts: parts.map(asPart), seals };
  const text = stringOr(message.reasoning_content, stringOr(message.reasoning, ""));
  return { parts: text === "" ? [] : [{ type: "reasoning", text }], seals };
}

type ReplayedPart = { -readonly [Name in keyof ReadDetail]: ReadDetail[Name] };

/** Clients may send the pieces of a stream as they came: text in many, the signature in the last. */
function addPiece(parts: ReplayedPart[], piece: ReadDetail): void {
  const last = parts.at(-1);
  const is_open = last !== undefined && last.opaque === null;
  const is_more = is_open && last.type === piece.type && last.index === piece.index;
  // A summary is followed by what it is the summary of.
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
