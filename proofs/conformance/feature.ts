import type { Answer } from "./answer.ts";
import type { Cell } from "./cell.ts";
import type { Expectation, ExpectedError } from "./expectation.ts";
import type { Question } from "./question.ts";

/** Requirements on the receipt besides its usage, which is always compared. */
export interface ExpectedReceipt {
  readonly status?: "settled" | "voided";
  /** Default false. Null accepts both: the gateway ends the answer, perhaps before the vendor's count has come. */
  readonly estimated?: boolean | null;
}

/** A request and its required result: an answer, or an error that the rules require. */
export interface Step {
  readonly question: Question;
  readonly answer?: Expectation;
  readonly error?: ExpectedError;
  /** The exact list that `x-camino-ignored` must have (docs/rulings.md 10). */
  readonly ignored?: readonly string[];
  readonly receipt?: ExpectedReceipt;
}

/** One row of the matrix. */
export interface Feature {
  readonly name: string;
  /** The kind of model that answers; a deployment maps kinds to its models. */
  readonly model: string | ((cell: Cell) => string);
  /** The reason why a cell is skipped; null for a cell that runs. */
  readonly skip?: (cell: Cell) => string | null;
  /** The requests of a conversation; each is made from the answers before it. */
  readonly steps: readonly ((cell: Cell, before: readonly Answer[]) => Step)[];
}

export interface Section {
  readonly title: string;
  readonly features: readonly Feature[];
}

/** The result of a cell. */
export type Outcome =
  | { readonly result: "pass" }
  | { readonly result: "fail"; readonly violation: string }
  | { readonly result: "skip"; readonly reason: string };

/** Skips the clients that the table gives a reason for. */
export function skipClients(reasons: Partial<Record<Cell["client"], string>>): (cell: Cell) => string | null {
  return ({ client }) => reasons[client] ?? null;
}
