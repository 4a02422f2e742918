import type { Capabilities } from "../../core/catalog/catalog.ts";
import type { PublishedPrice } from "../published/published-catalog.ts";

/** A model in a vendor's own list of models, as far as the list describes it. A field is null where the list says nothing. */
export interface ListedModel {
  /** The vendor's name for the model. */
  readonly upstream_model: string;
  readonly display_name: string | null;
  /** The day of the release, `2026-09-01`. */
  readonly created: string | null;
  readonly context_length: number | null;
  readonly max_completion_tokens: number | null;
  readonly input_modalities: readonly string[] | null;
  readonly output_modalities: readonly string[] | null;
  readonly capabilities: Partial<Capabilities>;
  /** Whether the model answers conversations in text: `false` for embedders, speech, pictures. */
  readonly is_chat: boolean | null;
  /** The day on which the vendor takes the model away. */
  readonly retires_on: string | null;
  /** The price that the list itself has; most lists have none. */
  readonly price: PublishedPrice | null;
}

/** One page of a vendor's list. */
export interface ListedPage {
  readonly models: readonly ListedModel[];
  /** Entries that cannot be read, in words. */
  readonly left_out: readonly string[];
  /** The query of the next page; null after the last page. */
  readonly next: Readonly<Record<string, string>> | null;
}
