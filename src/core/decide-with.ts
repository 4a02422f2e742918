/** How our engine makes decisions of a chat model's token probabilities: the settings of a decision model. */

/** How our engine asks: every order of the options, two of them, or one (docs/rulings.md 39). */
export type Debias = "none" | "two" | "all";

/**
 * Temperatures that a calibration fitted for one chat model: a label's log-probability is divided by the one of the
 * question's type. Null where none was fitted, which is 1.
 */
export interface Calibration {
  /** Names the fit where the configuration is described (`camino check`). */
  readonly version: string;
  readonly temperatures: Readonly<Record<"predicate" | "choice" | "score", number | null>>;
}

/** How decisions are made of a chat model (docs/rulings.md 39). */
export interface DecideWith {
  readonly engine: "logprobs";
  /** The id of the chat model. */
  readonly model: string;
  readonly debias: Debias;
  /** From 0 to 1: an answer with less probability on the labels is no answer. */
  readonly min_label_mass: number;
  readonly calibration: Calibration | null;
}
