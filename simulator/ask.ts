import type { AskedDecision } from "./decisions/decision.ts";
import type { ModelName } from "./model-name.ts";

/** What a request asks for, whatever protocol it came in: all that a behaviour may look at. */
export interface Ask {
  /** Unique among requests: what the ids of the answer are made of. */
  readonly serial: string;
  readonly model: ModelName;
  readonly stream: boolean;
  /** Chat completions only: whether a stream ends with a usage chunk. */
  readonly include_usage: boolean;
  /** Everything that the model would read as text, in order: what input tokens are counted from. */
  readonly prompt: readonly string[];
  readonly last_user_text: string;
  readonly images: readonly AskedImage[];
  readonly tools: readonly AskedTool[];
  readonly tool_choice: ToolChoice;
  /** Null when the client did not say. */
  readonly parallel_tool_calls: boolean | null;
  /** Results of tools that came after the last assistant turn. */
  readonly tool_results: readonly ToolResult[];
  /** The conversation, oldest turn first, in protocols that have one. */
  readonly turns?: readonly Turn[];
  readonly output_cap: number | null;
  readonly stop: readonly string[];
  readonly format: AskedFormat;
  readonly reasoning: AskedReasoning;
  /** How many answers (`n`). */
  readonly choices: number;
  /** The body, for fields that an answer repeats. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Where the request went, in protocols whose paths say part of what is asked. */
  readonly path?: string;
  /** What is to be decided, in protocols that decide. */
  readonly decision?: AskedDecision;
}

/** An image by value or by reference. */
export interface AskedImage {
  readonly media_type: string | null;
  /** Decoded size; null for a URL. */
  readonly bytes: number | null;
  readonly url: string | null;
}

export interface AskedTool {
  readonly name: string;
  /** The arguments' JSON schema. */
  readonly schema: unknown;
  readonly description: string;
  /** A custom tool takes one free text in place of arguments (responses). */
  readonly custom: boolean;
}

/** Who said what in a conversation, and how many tools were called with it. Results of tools are no turns. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly calls: number;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export interface ToolResult {
  readonly call_id: string;
  readonly text: string;
}

export type AskedFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | { readonly type: "schema"; readonly schema: unknown };

export interface AskedReasoning {
  /** False when the request turned reasoning off, or did not turn it on where the protocol wants that. */
  readonly wanted: boolean;
  readonly effort: string | null;
  /** Whether sealed reasoning is to be sent along (responses: `include`). */
  readonly encrypted: boolean;
}

/** What else a refusal says, where it is not the usual thing for a status of 400. */
export interface BadRequestDetails {
  readonly param?: string | null;
  readonly code?: string;
  /** Default 400. */
  readonly status?: number;
  /** The whole body, for vendors whose errors have another shape than their protocol's. */
  readonly body?: object;
}

/** A request that a real vendor would refuse, and why. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
  readonly param: string | null;
  readonly details: BadRequestDetails;

  constructor(message: string, param: string | null = null, details: BadRequestDetails = {}) {
    super(message);
    this.param = param;
    this.details = details;
  }
}
