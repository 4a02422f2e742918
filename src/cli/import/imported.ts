import type { Protocol } from "../../core/endpoints.ts";

/** A place where a model is served, as another gateway's file describes it. */
export interface Deployment {
  /** The id of a vendor that Camino knows, or the name that a new one shall have. */
  readonly vendor: string;
  /** Null for a known vendor at its usual address. */
  readonly address: { readonly base_url: string; readonly protocol: Protocol } | null;
  /** The texts of `api_keys`, where several credentials serve the model at this place. */
  readonly api_keys?: readonly { readonly key: string; readonly weight?: number }[];
  /** The text of `api_key`, which names a variable and is never a secret itself. Null: the vendor's usual variable. */
  readonly api_key: string | null;
  readonly upstream_model: string;
  readonly weight: number | null;
  /** Fields of `price`, decimals of the currency per million tokens. Null where the file has none. */
  readonly price: Readonly<Record<string, number>> | null;
  readonly context_length: number | null;
  readonly max_completion_tokens: number | null;
  readonly line: number;
}

/** A name that clients ask for. */
export interface ModelGroup {
  readonly name: string;
  /** Its routes by level: the first level shares the calls, each next level is for when no route before it is available. */
  readonly levels: readonly (readonly Deployment[])[];
  /** Names of other groups to fall back on, in this order. */
  readonly fallbacks: readonly string[];
}

/** A key to make anew: the secrets of another gateway's keys are not in its files. */
export interface ImportedKey {
  readonly name: string;
  /** Options of `camino key create`, one text each. */
  readonly options: readonly string[];
  /** Its limits by model, by the other gateway's names: `rpm=60,budget=5/day`. Absent: none. */
  readonly model_limits?: ReadonlyMap<string, string>;
}

/** What each end user may use: for all that have no limits of their own, and for those that have, by their ids. */
export interface ImportedEndUsers {
  /** Fields of `limits.tags.TAG`. */
  readonly limits: Readonly<Record<string, string | number>>;
  readonly values: ReadonlyMap<string, Readonly<Record<string, string | number>>>;
}

/** The result of reading another gateway's file. */
export interface Imported {
  readonly groups: readonly ModelGroup[];
  /** Other names of groups. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly keys: readonly ImportedKey[];
  /** What every end user may use; absent: nothing is said. */
  readonly end_users?: ImportedEndUsers;
  /** What vendors may cost a UTC day, in decimals of the currency, by their ids; absent: nothing is said. */
  readonly spend?: ReadonlyMap<string, string>;
  /** Vendors that are used without a model of their own. */
  readonly vendors: readonly string[];
  /** The settings that could not be carried over, a sentence each, with the line. */
  readonly notes: readonly Note[];
}

export interface Note {
  readonly line: number;
  readonly text: string;
}
