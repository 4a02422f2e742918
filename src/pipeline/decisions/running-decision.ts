import type { DecisionAnswer, DecisionClientRequest } from "../../core/answer/decision.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { RunningRequest } from "../answer/running-request.ts";
import type { DecisionPlan } from "./decide-plan.ts";
import type { DecisionSource } from "./decision-source.ts";

export type RunningDecision = RunningRequest<DecisionPlan, DecisionClientRequest>;

/** The answers of one source to every question. */
export interface DecidedAnswers {
  readonly kind: "decided";
  readonly source: Pick<DecisionSource, "model" | "price">;
  readonly answers: readonly DecisionAnswer[];
  /** The billed usage: input alone (docs/api.md 8). */
  readonly usage: Usage;
  /** Whether the count is an estimate because the vendor owed one and sent none. */
  readonly estimated: boolean;
  /** Headers that report how the answers were made. */
  readonly headers: Readonly<Record<string, string>>;
}
