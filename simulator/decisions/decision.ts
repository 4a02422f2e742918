/** Decisions in the simulator's own words, the same for both wire shapes. */
export interface AskedDecision {
  /** Everything that is decided about, as text. */
  readonly state: string;
  readonly questions: readonly AskedQuestion[];
}

export interface AskedQuestion {
  readonly name: string | null;
  readonly type: "predicate" | "choice" | "score";
  readonly instructions: string;
  /** Of a choice: its options; of a score: its levels, lowest first; of a predicate: what yes and no stand for, if said. */
  readonly options: readonly AskedOption[];
}

export interface AskedOption {
  readonly value: string | boolean | number;
  /** What the answer repeats of a level. */
  readonly label: string;
  readonly description: string | null;
}

/** An answer before it gets its shape. Probabilities and numbers are whatever a fault made of them. */
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
  | { readonly type: "refusal"; readonly name: string | null; readonly reason: string };

export interface AnsweredOption {
  readonly value: string | boolean | number;
  readonly label: string;
  readonly probability: unknown;
}
