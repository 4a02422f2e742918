/** How our engine makes decisions of a chat model's token probabilities: the settings of a decision model. */

/** In how many orders our engine presents the options: in all, in two, or in one (docs/rulings.md 39). */
export type Debias = "none" | "two" | "all";

/**
 * Temperatures that a calibration fitted for one chat model, by question type: a label's log-probability is divided by
 * its type's temperature. Null where none was fitted: the temperature is then 1.
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
  /** From 0 to 1: an answer that puts less probability than this on the labels is discarded. */
  readonly min_label_mass: number;
  readonly calibration: Calibration | null;
}
