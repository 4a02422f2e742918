import type { JsonRecord } from "../../core/json.ts";
/** The request of Bedrock's Converse, with the fields that translation writes. Answers are read as untyped JSON. */

/** Bytes are base64 in JSON. */
export type ConverseSource = { readonly bytes: string } | { readonly s3Location: { readonly uri: string } };

export interface ConverseMedia {
  readonly format: string;
  readonly source: ConverseSource;
}

export interface CachePoint {
  readonly cachePoint: { readonly type: "default"; readonly ttl?: "1h" };
}

export type ResultBlock =
  | { readonly text: string }
  | { readonly image: ConverseMedia }
  | { readonly document: ConverseMedia & { readonly name: string } };

export type ConverseBlock =
  | ResultBlock
  | CachePoint
  | { readonly video: ConverseMedia }
  | { readonly audio: ConverseMedia }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonRecord } }
  | {
      readonly toolResult: {
        readonly toolUseId: string;
        readonly content: readonly ResultBlock[];
        readonly status?: "error";
      };
    }
  | { readonly reasoningContent: { readonly reasoningText: { readonly text: string; readonly signature: string } } }
  | { readonly reasoningContent: { readonly redactedContent: string } };

export interface ConverseMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly ConverseBlock[];
}

export type SystemBlock = { readonly text: string } | CachePoint;

export type ConverseTool =
  | {
      readonly toolSpec: {
        readonly name: string;
        readonly description?: string;
        readonly inputSchema: { readonly json: JsonRecord };
      };
    }
  | CachePoint;

export type ConverseToolChoice =
  | { readonly auto: object }
  | { readonly any: object }
  | { readonly tool: { readonly name: string } };

export interface InferenceConfig {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
}

export interface ConverseRequest {
  readonly messages: readonly ConverseMessage[];
  readonly system?: readonly SystemBlock[];
  readonly inferenceConfig?: InferenceConfig;
  readonly toolConfig?: { readonly tools: readonly ConverseTool[]; readonly toolChoice?: ConverseToolChoice };
  readonly additionalModelRequestFields?: JsonRecord;
  readonly additionalModelResponseFieldPaths?: readonly string[];
}
