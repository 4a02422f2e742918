import type { AskedDecision } from "./decisions/decision.ts";
import type { AskedEmbedding } from "./embeddings/embedding.ts";
import type { AskedPictures } from "./images/picture.ts";
import type { ModelName } from "./model-name.ts";
import type { AskedRanking } from "./rankings/ranking.ts";
import type { AskedHearing, AskedSpeech } from "./sound/sound.ts";

/** A request in a form common to all protocols; a behaviour may look at nothing else. */
export interface Ask {
  /** A number unique among requests, from which the answer's ids are made. */
  readonly serial: string;
  readonly model: ModelName;
  readonly stream: boolean;
  /** Chat completions only: whether a stream ends with a usage chunk. */
  readonly include_usage: boolean;
  /** All texts that the model would read, in order; input tokens are counted from them. */
  readonly prompt: readonly string[];
  readonly last_user_text: string;
  readonly images: readonly AskedImage[];
  readonly tools: readonly AskedTool[];
  readonly tool_choice: ToolChoice;
  /** Null when the request does not have the parameter. */
  readonly parallel_tool_calls: boolean | null;
  /** Results of tools that came after the last assistant turn. */
  readonly tool_results: readonly ToolResult[];
  /** The conversation, oldest turn first, in protocols that have one. */
  readonly turns?: readonly AskedTurn[];
  readonly output_cap: number | null;
  readonly stop: readonly string[];
  readonly format: AskedFormat;
  readonly reasoning: AskedReasoning;
  /** The number of answers (`n`). */
  readonly choices: number;
  /** The request's body, for fields that the answer repeats. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The request's path, in protocols whose paths have parameters. */
  readonly path?: string;
  /** The questions to decide, in decision protocols. */
  readonly decision?: AskedDecision;
  readonly ranking?: AskedRanking;
  /** The inputs to judge, in moderations. */
  readonly moderation?: { readonly inputs: readonly string[] };
  /** The inputs to embed, in protocols of embeddings. */
  readonly embedding?: AskedEmbedding;
  /** The text to speak, in protocols of speech. */
  readonly speech?: AskedSpeech;
  /** The recording to hear, in protocols of transcriptions. */
  readonly hearing?: AskedHearing;
  /** The pictures to draw, in protocols of images. */
  readonly pictures?: AskedPictures;
}

/** An image by value or by reference. */
export interface AskedImage {
  readonly media_type: string | null;
  /** The size of the decoded image; null for a URL. */
  readonly bytes: number | null;
  readonly url: string | null;
}

export interface AskedTool {
  readonly name: string;
  /** The arguments' JSON schema. */
  readonly schema: unknown;
  readonly description: string;
  /** Whether the tool is a custom tool of responses, which takes one free text in place of arguments. */
  readonly custom: boolean;
}

/** A turn of the conversation: role, text and number of tool calls. Tool results are not turns. */
export interface AskedTurn {
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
  /** False when the request turned reasoning off, or did not turn it on in a protocol that requires that. */
  readonly wanted: boolean;
  readonly effort: string | null;
  /** Whether the client asks for sealed reasoning (responses: `include`). */
  readonly encrypted: boolean;
}

/** Details of a refusal that differ from the usual ones of a 400. */
export interface BadRequestDetails {
  readonly param?: string | null;
  readonly code?: string;
  /** The status. Default 400. */
  readonly status?: number;
  /** The whole body, for vendors whose errors have another shape than their protocol's. */
  readonly body?: object;
}

/** The error for a request that a real vendor would refuse, with the reason. */
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
