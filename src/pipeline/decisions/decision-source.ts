import type { VendorCodec } from "../../core/answer/codec.ts";
import type { DecisionVendorProtocol, ProbableQuestion } from "../../core/answer/decision.ts";
import type { Model } from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";
import type { PlannedCalls } from "../../decider/decide-question.ts";
import type { EngineSettings } from "../../decider/question-calls.ts";
import type { PricedCandidate } from "../plan/prospects.ts";

/** A vendor that decides itself, with the decision protocol in which it is called. */
export interface NativeCandidate extends PricedCandidate {
  readonly protocol: DecisionVendorProtocol;
}

/** A vendor of our engine's chat model, with the codec of a protocol that returns log-probabilities. */
export interface EngineCandidate extends PricedCandidate {
  readonly codec: VendorCodec;
}

/** A model that may answer: through vendors that decide, or through our engine. */
export type DecisionSource = NativeSource | EngineSource;

export interface NativeSource {
  readonly kind: "native";
  readonly model: Model;
  readonly price: Price;
  readonly candidates: readonly NativeCandidate[];
}

export interface EngineSource {
  readonly kind: "engine";
  /** The decision model, which is billed; the candidates belong to the chat model. */
  readonly model: Model;
  readonly price: Price;
  readonly candidates: readonly EngineCandidate[];
  readonly settings: EngineSettings;
  readonly questions: readonly ProbableQuestion[];
  /** The calls of each question, in the questions' order. */
  readonly calls: readonly PlannedCalls[];
}
