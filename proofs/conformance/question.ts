/**
 * A feature's request in a neutral form, which each client's style writes in its own format (`styles/`). This form is
 * independent of the gateway's neutral form, because a shared form would hide the gateway's mistakes.
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
  /** An instruction in the middle of the conversation. */
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls?: readonly Call[] }
  /** An earlier answer to this client, sent back unchanged. */
  | { readonly role: "replay"; readonly native: readonly Fields[] }
  | { readonly role: "results"; readonly results: readonly Result[] };

export type Tool =
  | { readonly kind: "function"; readonly name: string; readonly schema: Fields; readonly cached?: true }
  | { readonly kind: "custom"; readonly name: string }
  /** A tool that the vendor itself runs. */
  | { readonly kind: "hosted"; readonly type: string };

export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly name: string }
  | { readonly allowed: readonly string[] };

export type Format = { readonly kind: "object" } | { readonly kind: "schema"; readonly schema: Fields };

export interface Reasoning {
  /** An effort level; `none` turns reasoning off. */
  readonly effort?: string;
  readonly budget_tokens?: number;
  /** Whether the client asks to see the text of the reasoning. */
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
  /** The largest number of output tokens; without it, styles that require a cap send a large one. */
  readonly cap?: number;
  readonly reasoning?: Reasoning;
  /** The number of choices, in styles that can have more than one. */
  readonly choices?: number;
  /** Whether a chat stream asks for usage. Default true. */
  readonly usage?: boolean;
  /** Members that go into the body unchanged, whatever the style. */
  readonly body?: Fields;
}

/** A user message with a single text. */
export function says(text: string): Turn {
  return { role: "user", parts: [{ kind: "text", text }] };
}
