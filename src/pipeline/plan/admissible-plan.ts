import type { Model } from "../../core/catalog/catalog.ts";
import type { Price } from "../../core/money/price.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { HoldSize } from "../../ledger/hold.ts";
import type { CandidateOrder } from "./order-candidates.ts";

/** The parts of a request's plan that its admission depends on. */
export interface AdmissiblePlan extends HoldSize {
  readonly key: KeyRecord;
  readonly model: Model;
  /** The model's price at admission, which the request keeps. */
  readonly price: Price;
  /** How its candidates were put in order; absent where there was no choice. */
  readonly order?: CandidateOrder;
}
