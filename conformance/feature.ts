import type { Answer } from "./answer.ts";
import type { Cell } from "./cell.ts";
import type { ExpectedError, Expectation } from "./expectation.ts";
import type { Question } from "./question.ts";

/** What the receipt must say beside the usage, which is always compared. */
export interface ExpectedReceipt {
  readonly status?: "settled" | "voided";
  /** False unless said. Null: the gateway ends the answer, so it depends on whether the vendor's count had come by then. */
  readonly estimated?: boolean | null;
}

/** One request and what must come of it: an answer, or an error that the rules ask for. */
export interface Step {
  readonly question: Question;
  readonly answer?: Expectation;
  readonly error?: ExpectedError;
  /** What `x-camino-ignored` names, and nothing else (docs/rulings.md 10). */
  readonly ignored?: readonly string[];
  readonly receipt?: ExpectedReceipt;
}

/** One row of the matrix. */
export interface Feature {
  readonly name: string;
  /** What kind of model answers; a deployment says which of its models that is. */
  readonly model: string | ((cell: Cell) => string);
  /** Why a cell is skipped; null where it is not. */
  readonly skip?: (cell: Cell) => string | null;
  /** The requests of a conversation, each made with what was answered before. */
  readonly steps: readonly ((cell: Cell, before: readonly Answer[]) => Step)[];
}

export interface Section {
  readonly title: string;
  readonly features: readonly Feature[];
}

/** What becomes of one cell. */
export type Outcome =
  | { readonly result: "pass" }
  | { readonly result: "fail"; readonly violation: string }
  | { readonly result: "skip"; readonly reason: string };

/** Skips the clients that the table gives a reason for. */
export function skipClients(reasons: Partial<Record<Cell["client"], string>>): (cell: Cell) => string | null {
  return ({ client }) => reasons[client] ?? null;
}
