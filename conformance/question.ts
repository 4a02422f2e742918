/**
 * What a feature asks, in nobody's dialect: each client's style says it in its own words (`styles/`). It is written anew
 * here, and not the gateway's own form, which could not find its own mistakes.
 */
import type { Fields } from "./read-fields.ts";

export type Part =
  | { readonly kind: "text"; readonly text: string; readonly cached?: true }
  | { readonly kind: "image"; readonly source: Source }
  | { readonly kind: "document"; readonly source: Source; readonly filename?: string };

export type Source =
  | { readonly kind: "data"; readonly media_type: string; readonly base64: string }
  | { readonly kind: "url"; readonly url: string };

export interface Call {
  readonly id: string;
  readonly name: string;
  /** The arguments' JSON text, or a custom tool's free text. */
  readonly input: string;
  readonly custom: boolean;
}

export interface Result {
  readonly call: Pick<Call, "id" | "name" | "custom">;
  readonly parts: readonly Part[];
  readonly is_error?: true;
}

export type Turn =
  | { readonly role: "user"; readonly parts: readonly Part[]; readonly name?: string }
  /** An instruction amid the conversation. */
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls?: readonly Call[] }
  /** An earlier answer to this client, sent again as it came. */
  | { readonly role: "replay"; readonly native: readonly Fields[] }
  | { readonly role: "results"; readonly results: readonly Result[] };

export type Tool =
  | { readonly kind: "function"; readonly name: string; readonly schema: Fields; readonly cached?: true }
  | { readonly kind: "custom"; readonly name: string }
  /** One that the vendor itself runs. */
  | { readonly kind: "hosted"; readonly type: string };

export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly name: string }
  | { readonly allowed: readonly string[] };

export type Format = { readonly kind: "object" } | { readonly kind: "schema"; readonly schema: Fields };

export interface Reasoning {
  /** A level; `none` is off. */
  readonly effort?: string;
  readonly budget_tokens?: number;
  /** Whether the visible text is wanted. */
  readonly shown?: boolean;
}

export interface Question {
  readonly system?: readonly string[];
  readonly developer?: readonly string[];
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel?: boolean;
  readonly format?: Format;
  readonly stop?: readonly string[];
  /** Most output tokens; styles that must have a cap send a large one. */
  readonly cap?: number;
  readonly reasoning?: Reasoning;
  /** Choices, where a style has more than one. */
  readonly choices?: number;
  /** Chat streams: whether the usage is asked for; it is unless this is false. */
  readonly usage?: boolean;
  /** Members of the body that are the same in a style as the feature says them. */
  readonly body?: Fields;
}

/** One message of the user that is only text. */
export function says(text: string): Turn {
  return { role: "user", parts: [{ kind: "text", text }] };
}
