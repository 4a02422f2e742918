/** How contents are kept where somebody switched that on (docs/rulings.md 184). */
export interface ContentSettings {
  readonly keep_ms: number;
  /** The most bytes of all contents of all accounts. */
  readonly most_bytes: number;
  readonly masks: readonly ContentMask[];
}

export type ContentMask =
  | { readonly kind: "email" | "card" | "phone" }
  /** `pattern` has the flags `g` and `u`. */
  | { readonly kind: "regex"; readonly pattern: RegExp };

export const DEFAULT_CONTENT: ContentSettings = { keep_ms: 30 * 86_400_000, most_bytes: 2 ** 30, masks: [] };
