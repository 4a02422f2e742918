/** What answers say beyond what was generated. */
export interface AnswersSettings {
  /** Whether the usage of billed answers has their cost (docs/rulings.md 169). */
  readonly cost: "show" | "hide";
}
