import type { DecisionAnswer, DecisionClientRequest } from "../../core/decision.ts";
import type { DecisionPlan, DecisionSource } from "./decide-plan.ts";
import type { RunningRequest } from "../generation/running-request.ts";

/** A decision request that was admitted. */
export type RunningDecision = RunningRequest<DecisionPlan, DecisionClientRequest>;

/** Answers to every question, by one source. */
export interface Decided {
  readonly kind: "decided";
  readonly source: Pick<DecisionSource, "model" | "price">;
  readonly answers: readonly DecisionAnswer[];
  /** What is billed (docs/api.md 8). */
  readonly input_tokens: number;
  /** Whether the count is ours in place of one that a vendor owed. */
  readonly estimated: boolean;
  /** Headers that say how the answers came about. */
  readonly headers: Readonly<Record<string, string>>;
}
