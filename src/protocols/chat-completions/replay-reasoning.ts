import type { Target } from "../../core/answer/exchange.ts";
import type { Opaque, OpaqueFamily, ReasoningPart } from "../../core/answer/generation.ts";
import type { ReasoningReplay } from "../../core/catalog/catalog.ts";
import { callSignatures, isGemini3 } from "../shared/google-models.ts";
import { detailsIssuer } from "../shared/issuer.ts";
import { type ExtraContent, extraContent } from "./extra-content.ts";
import { type ReasoningDetail, reasoningDetails, sealDetail, TEXT_SEAL } from "./reasoning-details.ts";

/**
 * The members by which a replayed answer carries its reasoning to a chat vendor, for relay and translation alike
 * (docs/rulings.md 166).
 */

/** An answer's reasoning, and the seals of its text and its calls. */
export interface ReplayedAnswer {
  readonly reasoning: readonly ReasoningPart[];
  readonly text_seal?: Opaque | undefined;
  readonly calls: readonly SealedCall[];
}

export interface SealedCall {
  readonly id: string;
  readonly opaque?: Opaque | null;
}

/** The properties of a vendor that decide how reasoning is replayed to it. */
interface ReplayDialect {
  /** Undefined for a vendor that accepts no reasoning back. */
  readonly shape: ReasoningReplay | undefined;
  /** Whether the model requires the signature of a turn's first call. */
  readonly requires_signatures: boolean;
}

const ALL_FAMILIES: readonly OpaqueFamily[] = ["openai", "anthropic", "google", "bedrock"];
const NO_FAMILIES: readonly OpaqueFamily[] = [];

/** The families whose opaque reasoning goes back to a vendor that accepts reasoning in this shape. */
export function replayedFamilies(shape: ReasoningReplay | undefined): readonly OpaqueFamily[] {
  if (shape === "reasoning_details") return ALL_FAMILIES;
  return shape === "extra_content" ? ["google"] : NO_FAMILIES;
}

export interface ReplayMembers {
  readonly reasoning_content?: string;
  readonly reasoning_details?: readonly ReasoningDetail[];
}

export function replayMembers(answer: ReplayedAnswer, { shape }: ReplayDialect): ReplayMembers {
  if (shape === "reasoning_content") {
    const text = answer.reasoning.map((part) => part.text).join("");
    // These vendors refuse an answer with tool calls that lacks the field, so it is empty where the client kept no
    // reasoning.
    return text === "" && answer.calls.length === 0 ? {} : { reasoning_content: text };
  }
  if (shape !== "reasoning_details") return {};
  const details = allDetails(answer);
  return details.length === 0 ? {} : { reasoning_details: details };
}

/** The members that each of the message's calls has for its signature. */
export function replayCallMembers(calls: readonly SealedCall[], dialect: ReplayDialect): readonly ExtraContent[] {
  if (dialect.shape !== "extra_content") return calls.map(() => ({}));
  const signatures = callSignatures(calls, dialect.requires_signatures);
  return signatures.map((signature) => (signature === null ? {} : extraContent(signature)));
}

function allDetails({ reasoning, text_seal, calls }: ReplayedAnswer): readonly ReasoningDetail[] {
  const details: ReasoningDetail[] = [];
  for (const { text, opaque } of reasoning)
    for (const detail of reasoningDetails(text, opaque, details.length)) details.push(detail);
  if (text_seal !== undefined) details.push(sealDetail(text_seal, TEXT_SEAL, details.length));
  for (const { id, opaque } of calls) if (opaque) details.push(sealDetail(opaque, id, details.length));
  return details;
}

/** The differences of a vendor's messages from the public shape; relay and translation share them. */
export interface MessageDialect extends ReplayDialect {
  /** Whose values in `reasoning_details` go back to the vendor. */
  readonly issuer: string;
  readonly no_developer_role: boolean;
  readonly strict_turns: boolean;
  /** Fields of answers and of their calls that must not be sent. */
  readonly refused: readonly string[];
}

const NOTHING: readonly string[] = [];

export function messageDialect({ vendor, model }: Target): MessageDialect {
  const { quirks } = vendor;
  return {
    issuer: detailsIssuer(vendor),
    shape: quirks.reasoning_replay,
    requires_signatures: quirks.reasoning_replay === "extra_content" && isGemini3(model),
    no_developer_role: quirks.no_developer_role === true,
    strict_turns: quirks.strict_turns === true,
    refused: quirks.unsupported_answer_fields ?? NOTHING,
  };
}
