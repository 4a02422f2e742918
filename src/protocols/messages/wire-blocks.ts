import type { Static } from "typebox";
import type { JsonRecord } from "../../core/json.ts";
import type { ImageBlock, RedactedThinkingBlock, TextBlock, ThinkingBlock, ToolChoice } from "./wire-request.ts";

/**
 * The types of a request and its content blocks on the wire (docs/api.md 4.3), in both directions. `wire-request.ts`
 * checks requests that arrive; the types here have the members that translation reads and writes.
 */

export type WireText = Static<typeof TextBlock>;
export type CacheControl = NonNullable<WireText["cache_control"]>;

interface Cached {
  readonly cache_control?: CacheControl | null;
}

export interface WireImage extends Static<typeof ImageBlock> {
  /** How the vendor may change the image before the model sees it. */
  readonly transformations?: unknown;
}
export type WireSource = WireImage["source"];

export interface WireDocument extends Cached {
  readonly type: "document";
  readonly source:
    | WireSource
    | { readonly type: "text"; readonly media_type?: "text/plain"; readonly data: string }
    | { readonly type: "content"; readonly content: string | readonly (WireText | WireImage)[] };
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: { readonly enabled?: boolean } | null;
}

export interface WireToolResult extends Cached {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly WireBlock[];
  readonly is_error?: boolean;
}

export interface WireToolUse extends Cached {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonRecord;
}

export type WireThinking = Static<typeof ThinkingBlock>;
export type WireRedactedThinking = Static<typeof RedactedThinkingBlock>;

export type WireBlock =
  | WireText
  | WireImage
  | WireDocument
  | WireToolResult
  | WireToolUse
  | WireThinking
  | WireRedactedThinking;

export interface WireTurn {
  readonly role: "user" | "assistant";
  readonly content: string | readonly WireBlock[];
}

/**
 * A system message amid the conversation. Only a vendor of this protocol can honour blocks of other types than text.
 */
export interface WireSystemTurn {
  readonly role: "system";
  readonly content?: string | readonly (WireText | { readonly type: string })[];
  /** `next_user_message`: the message applies only until the user's next message. */
  readonly clear_at?: string | null;
  readonly output_config?: object | null;
}

export type WireMessage = WireTurn | WireSystemTurn;

/**
 * A tool: the client's own tool has a schema; any other tool has a dated `type`, and members that only its vendor
 * knows.
 */
export interface WireTool extends Cached {
  readonly type?: string | null;
  readonly name?: string;
  readonly description?: string;
  readonly input_schema?: JsonRecord;
  readonly strict?: boolean;
}

export type WireToolChoice = Static<typeof ToolChoice>;

export interface WireThinkingSetting {
  readonly type: "enabled" | "adaptive" | "disabled" | "between_tools";
  readonly budget_tokens?: number;
  readonly display?: "summarized" | "omitted" | "updates" | null;
}

export interface WireOutputConfig {
  readonly effort?: string | null;
  readonly format?: { readonly type: string; readonly schema?: JsonRecord } | null;
}

export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string | readonly WireText[];
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
  readonly thinking?: WireThinkingSetting;
  readonly output_config?: WireOutputConfig;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_sequences?: readonly string[];
  readonly metadata?: { readonly user_id?: string | null };
  readonly service_tier?: string;
  readonly cache_control?: CacheControl | null;
  readonly stream?: boolean;
}
