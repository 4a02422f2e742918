/**
 * A generation request in neutral form: translation decodes a client's request into it and encodes a vendor's request
 * from it. It can express more than each style, so that no style is translated through another. An absent field means
 * that the client did not set it.
 */

/** Asks the vendor to cache the prompt up to this point (`cache_control`). */
export interface CacheHint {
  readonly ttl: "5m" | "1h" | null;
}

/** Who issued an opaque value, by its vendor's row; nobody else can read it (docs/rulings.md 12, 192). */
export type OpaqueFamily = string;

/** Signed or encrypted reasoning: returned byte for byte to the family that made it, dropped for all others. */
export interface Opaque {
  readonly family: OpaqueFamily;
  /** `signature` proves the visible text beside it; `encrypted` and `redacted` stand for hidden reasoning. */
  readonly form: "signature" | "encrypted" | "redacted";
  readonly data: string;
  /** The vendor's id of the reasoning item, where it has one. */
  readonly id?: string;
}

export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "base64"; readonly media_type: string; readonly data: string }
  | { readonly kind: "file-id"; readonly file_id: string };

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** A signature that the vendor attached to text of the model and requires back with it. */
  readonly opaque?: Opaque;
  readonly cache?: CacheHint;
}

export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
  readonly detail?: string;
  readonly cache?: CacheHint;
}

export interface AudioPart {
  readonly type: "audio";
  readonly format: string;
  /** Base64. */
  readonly data: string;
}

export interface VideoPart {
  readonly type: "video";
  readonly source: MediaSource;
}

export interface DocumentPart {
  readonly type: "document";
  readonly source: MediaSource;
  readonly filename?: string;
  readonly detail?: string;
  readonly cache?: CacheHint;
}

export type UserPart = TextPart | ImagePart | AudioPart | VideoPart | DocumentPart;
export type ToolResultPart = TextPart | ImagePart | DocumentPart;

export interface ReasoningPart {
  readonly type: "reasoning";
  /** The visible text (a summary with some vendors); empty when there is only the opaque form. */
  readonly text: string;
  readonly opaque?: Opaque;
}

export interface RefusalPart {
  readonly type: "refusal";
  readonly text: string;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** A function's arguments as JSON text, as the model wrote it; a custom tool's input as plain text. */
  readonly arguments: string;
  readonly kind: "function" | "custom";
  /** A signature that the vendor attached to the call and requires back with it. */
  readonly opaque?: Opaque;
  readonly cache?: CacheHint;
}

export type AssistantPart = TextPart | ReasoningPart | RefusalPart | ToolCallPart;

export interface SystemMessage {
  readonly role: "system";
  /** `developer` where the client used that role; vendors without the role take it as system. */
  readonly authority: "system" | "developer";
  /** Set where the message applies from its place in the conversation on (docs/rulings.md 160): it stays there. */
  readonly in_place?: true;
  readonly content: readonly TextPart[];
}

export interface UserMessage {
  readonly role: "user";
  readonly name?: string;
  readonly content: readonly UserPart[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly name?: string;
  readonly content: readonly AssistantPart[];
}

/** One tool's result. Results of parallel calls are messages in a row. */
export interface ToolMessage {
  readonly role: "tool";
  readonly call_id: string;
  readonly content: readonly ToolResultPart[];
  readonly is_error: boolean;
  readonly cache?: CacheHint;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface FunctionTool {
  readonly kind: "function";
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  readonly cache?: CacheHint;
}

/**
 * A tool that takes free text; for vendors without such tools, a function with one string argument (docs/rulings.md
 * 11).
 */
export interface CustomTool {
  readonly kind: "custom";
  readonly name: string;
  readonly description?: string;
  /** The grammar or format that the text must have, as the client sent it. */
  readonly format?: Readonly<Record<string, unknown>>;
}

/** A tool that the vendor runs; left out and named where the target lacks it (docs/rulings.md 11). */
export interface HostedTool {
  readonly kind: "hosted";
  /** By which a tool choice names it: its type, where the protocol has no names for such tools. */
  readonly name: string;
  readonly type: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

export type Tool = FunctionTool | CustomTool | HostedTool;

export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  /** `hosted`: the choice names a tool of the vendor's, not a function of the same name. */
  | { readonly mode: "named"; readonly name: string; readonly hosted?: true };

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json-object" }
  | {
      readonly type: "json-schema";
      readonly name: string;
      readonly description?: string;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict?: boolean;
    };

/** `reasoning_effort`, `reasoning.effort` and `thinking` as one setting (docs/rulings.md 12). */
export interface ReasoningSetting {
  /** False: no reasoning. Absent: the model's default. */
  readonly enabled?: boolean;
  readonly effort?: string;
  readonly budget_tokens?: number;
  /** Whether the visible text (a summary) is wanted. */
  readonly show?: "auto" | "concise" | "detailed" | "none";
  /** Whether the client wants the opaque form, to replay it (`include: ["reasoning.encrypted_content"]`). */
  readonly want_opaque?: boolean;
}

export interface GenerationRequest {
  /** The model as the client named it. */
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly logprobs?: { readonly top: number };
  readonly logit_bias?: Readonly<Record<string, number>>;
  readonly format?: OutputFormat;
  /** The only texts that may be generated, for vendors that can constrain output (`quirks.constrained_choice`). */
  readonly choices?: readonly string[];
  readonly verbosity?: string;
  readonly reasoning?: ReasoningSetting;
  /** The end user, hashed by the client (`safety_identifier`, `user`, `metadata.user_id`). */
  readonly end_user?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly prompt_cache_key?: string;
  readonly service_tier?: string;
  /** Chat streams: whether the client asked for the usage chunk. */
  readonly include_usage?: boolean;
  /**
   * Parameters that have no neutral form, by their name in the client's dialect: left out and named in
   * `x-camino-ignored`.
   */
  readonly extras: Readonly<Record<string, unknown>>;
}
