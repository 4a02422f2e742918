import type { ErrorCode } from "../../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { RouteName } from "../../routes.ts";

/** What the snippets and examples are filled in with. */
export interface SampleSettings {
  /** Where clients reach the gateway, without a trailing slash. */
  readonly base_url: string;
  /** Catalogue ids of models that exist: one for style A's endpoints, one for messages. */
  readonly model_a: string;
  readonly model_b: string;
  /** One that decides. */
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

/** An answer's content of one type. */
export interface AnswerContent {
  readonly type: string;
  readonly schema: object;
  readonly example?: JsonValue;
  /** The data of each event, where the content is a stream. */
  readonly event?: object;
}

export type Tag = "Generation" | "Decisions" | "Models" | "Account" | "Service";

/** One row of the document: everything about a route that its method and path do not say. */
export interface OperationRow {
  readonly route: RouteName;
  readonly operation_id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** Where the key travels: `bearer` alone, `either` header, or `none`. */
  readonly credential: "bearer" | "either" | "none";
  readonly parameters?: readonly JsonObject[];
  readonly request?: { readonly schema: object; readonly examples: Readonly<Record<string, Example>> };
  readonly answer: {
    readonly description: string;
    readonly headers?: readonly string[];
    readonly contents: readonly AnswerContent[];
  };
  readonly errors: readonly ErrorCode[];
  readonly samples: readonly Sample[];
}
