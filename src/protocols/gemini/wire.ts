import type { JsonRecord } from "../../core/json.ts";
/**
 * The request of Gemini's `generateContent`, with the fields that translation writes. Answers are read as untyped JSON.
 */

export interface InlineData {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

export interface FileData {
  readonly fileUri: string;
  readonly mimeType?: string;
}

export interface FunctionCall {
  /** Vertex AI does not know this field and refuses it. */
  readonly id?: string;
  readonly name: string;
  readonly args: JsonRecord;
}

export interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  /** Has the member `output` for a result, or `error` for a failed call. */
  readonly response: JsonRecord;
  /** Images and documents of the result; models before Gemini 3 do not accept such parts. */
  readonly parts?: readonly { readonly inlineData: InlineData }[];
}

export interface GeminiPart {
  readonly text?: string;
  readonly inlineData?: InlineData;
  readonly fileData?: FileData;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
  /** Marks a summary of the model's thoughts. */
  readonly thought?: true;
  readonly thoughtSignature?: string;
}

export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema?: unknown;
}

export interface FunctionCallingConfig {
  readonly mode: "AUTO" | "ANY" | "NONE" | "VALIDATED";
  readonly allowedFunctionNames?: readonly string[];
}

export interface ThinkingConfig {
  readonly includeThoughts?: boolean;
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
}

export interface GenerationConfig {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly responseLogprobs?: true;
  readonly logprobs?: number;
  readonly responseMimeType?: string;
  readonly responseJsonSchema?: unknown;
  readonly thinkingConfig?: ThinkingConfig;
}

export interface GeminiRequest {
  readonly contents: readonly GeminiContent[];
  readonly systemInstruction?: { readonly parts: readonly GeminiPart[] };
  readonly tools?: readonly { readonly functionDeclarations: readonly FunctionDeclaration[] }[];
  readonly toolConfig?: { readonly functionCallingConfig: FunctionCallingConfig };
  readonly generationConfig?: GenerationConfig;
}
