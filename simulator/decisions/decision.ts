/** A decision request in a form common to both wire shapes. */
export interface AskedDecision {
  /** The state that the questions are about, as text. */
  readonly state: string;
  readonly questions: readonly AskedQuestion[];
}

export interface AskedQuestion {
  readonly name: string | null;
  readonly type: "predicate" | "choice" | "score" | "box";
  readonly instructions: string;
  /**
   * A choice's options; a score's levels, lowest first; a predicate's meanings of yes and no, if the request gives
   * them.
   */
  readonly options: readonly AskedOption[];
}

export interface AskedOption {
  readonly value: string | boolean | number;
  /** The label of a level, which the answer repeats. */
  readonly label: string;
  readonly description: string | null;
}

/** An answer before it is written in a protocol's shape. A fault may have replaced probabilities by any value. */
export type DecisionAnswer =
  | { readonly type: "predicate"; readonly name: string | null; readonly probability: unknown }
  | {
      readonly type: "choice" | "score";
      readonly name: string | null;
      /** The chosen value, or the expected level. */
      readonly result: unknown;
      /** Undefined where the vendor leaves it out. */
      readonly confidence: unknown;
      readonly options: readonly AnsweredOption[];
    }
  /** Where something is in an image, in shares of it (docs/rulings.md 175). */
  | { readonly type: "box"; readonly name: string | null; readonly edges: BoxEdges }
  | { readonly type: "refusal"; readonly name: string | null; readonly reason: string };

export interface BoxEdges {
  readonly top: unknown;
  readonly bottom: unknown;
  readonly left: unknown;
  readonly right: unknown;
}

export interface AnsweredOption {
  readonly value: string | boolean | number;
  readonly label: string;
  readonly probability: unknown;
}
