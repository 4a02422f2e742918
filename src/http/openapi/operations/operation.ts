import type { ErrorCode } from "../../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { RouteName } from "../../paths/routes.ts";

/** The values for the placeholders in snippets and examples. */
export interface SampleSettings {
  /** The gateway's address for clients, without a trailing slash. */
  readonly base_url: string;
  /** Catalogue ids of existing models: one for style A's endpoints, one for messages. */
  readonly model_a: string;
  readonly model_b: string;
  /** The id of an embedding model. */
  readonly model_e: string;
  /** The id of a speech model. */
  readonly model_s: string;
  /** The id of an image model. */
  readonly model_i: string;
  /** The id of a chat model that goes on from a text. */
  readonly model_c: string;
  /** The id of a reranking model. */
  readonly model_r: string;
  /** The id of a transcription model. */
  readonly model_t: string;
  /** The id of a moderation model. */
  readonly model_m: string;
  /** The id of a decision model. */
  readonly model_d: string;
}

/** A snippet to copy. */
export interface Sample {
  readonly lang: "shell" | "typescript" | "python";
  readonly label: string;
  readonly source: string;
}

export interface Example {
  readonly summary: string;
  readonly value: JsonValue;
}

/** The content of an answer in one media type. */
export interface AnswerContent {
  readonly type: string;
  readonly schema: object;
  readonly example?: JsonValue;
  /** The schema of each event's data, where the content is a stream. */
  readonly event?: object;
}

export type Tag =
  | "Generation"
  | "Embeddings"
  | "Rerank"
  | "Moderations"
  | "Audio"
  | "Images"
  | "Decisions"
  | "Models"
  | "Account"
  | "Service";

/** A route's operation in the document: everything but its method and path. Examples and samples have `{{…}}` in place of settings. */
export interface OperationRow {
  readonly route: RouteName;
  readonly operation_id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Which header takes the key: `bearer` alone, either of two (`google`: Google's), `any`, or `none`. */
  readonly credential: "bearer" | "either" | "google" | "any" | "none";
  readonly parameters?: readonly JsonObject[];
  readonly request?: {
    readonly schema: object;
    readonly examples: Readonly<Record<string, Example>>;
    /** Set where the body is a form. */
    readonly is_form?: true;
  };
  /** What the answer is, in words; its headers by their names in the components. */
  readonly answer: string;
  readonly headers?: readonly string[];
  readonly contents: readonly AnswerContent[];
  readonly errors: readonly ErrorCode[];
  readonly samples: readonly Sample[];
}

/** The header of answers that are not billed: the key's rate. */
export const RATED = ["RateLimit"] as const;

export function jsonContent(schema: object, example?: JsonValue): AnswerContent {
  return { type: "application/json", schema, ...(example === undefined ? {} : { example }) };
}

/** A stream of events, each of which has data of this schema. */
export function streamContent(event: object, example: string): AnswerContent {
  return { type: "text/event-stream", schema: { type: "string" }, example, event };
}

/** A row with this gateway's address and models in its examples and samples. */
export function filledRow(row: OperationRow, settings: SampleSettings): OperationRow {
  const values: Readonly<Record<string, string>> = {
    ...settings,
    model_a_encoded: encodeURIComponent(settings.model_a),
  };
  const fill = (_key: string, value: JsonValue): JsonValue =>
    typeof value === "string"
      ? value.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => values[name] ?? "")
      : value;
  const filled = <T extends object>(template: T): T => JSON.parse(JSON.stringify(template), fill);
  const { request, contents, samples } = row;
  return {
    ...row,
    ...(request && { request: { ...request, examples: filled(request.examples) } }),
    contents: contents.map(({ example, ...rest }) => ({
      ...rest,
      ...(example === undefined ? {} : filled({ example })),
    })),
    samples: filled(samples),
  };
}
