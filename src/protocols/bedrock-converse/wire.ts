import type { JsonRecord } from "../../core/json.ts";
/** The request of Bedrock's Converse, with the fields that translation writes. Answers are read as untyped JSON. */

/** Bytes are base64 in JSON. */
export type Source = { readonly bytes: string } | { readonly s3Location: { readonly uri: string } };

export interface Media {
  readonly format: string;
  readonly source: Source;
}

export interface CachePoint {
  readonly cachePoint: { readonly type: "default"; readonly ttl?: "1h" };
}

export type ResultBlock =
  | { readonly text: string }
  | { readonly image: Media }
  | { readonly document: Media & { readonly name: string } };

export type Block =
  | ResultBlock
  | CachePoint
  | { readonly video: Media }
  | { readonly audio: Media }
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

export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

export type SystemBlock = { readonly text: string } | CachePoint;

export type WireTool =
  | {
      readonly toolSpec: {
        readonly name: string;
        readonly description?: string;
        readonly inputSchema: { readonly json: JsonRecord };
      };
    }
  | CachePoint;

export type WireToolChoice =
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
  readonly messages: readonly WireMessage[];
  readonly system?: readonly SystemBlock[];
  readonly inferenceConfig?: InferenceConfig;
  readonly toolConfig?: { readonly tools: readonly WireTool[]; readonly toolChoice?: WireToolChoice };
  readonly additionalModelRequestFields?: JsonRecord;
  readonly additionalModelResponseFieldPaths?: readonly string[];
}
