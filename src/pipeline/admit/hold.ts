import type { ExtendOp, Outcome, ProgressOp, SettleOp } from "../../core/ledger/ledger.ts";
import { add, type Micro, ZERO } from "../../core/money/money.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { HOLD_TTL_MS } from "./admit.ts";

interface HoldOwner {
  readonly request_id: string;
  readonly account_id: string;
}

/** The money that is set aside for an admitted request: it may grow, and ends once. */
export class Hold {
  readonly #ledger: Ledger;
  readonly #owner: HoldOwner;
  #held_micro: Micro;
  #has_ended = false;

  constructor(ledger: Ledger, owner: HoldOwner, held_micro: Micro) {
    this.#ledger = ledger;
    this.#owner = owner;
    this.#held_micro = held_micro;
  }

  get held_micro(): Micro {
    return this.#held_micro;
  }

  /** Whether the hold has ended, or the ledger has what ends it. */
  get hasEnded(): boolean {
    return this.#has_ended;
  }

  /** Extends the hold. Resolves with the added amount, which is less than asked for where balance or budget had no more. */
  async extend(add_micro: Micro): Promise<Micro> {
    const result = await this.#ledger.extend(this.#extendOp(add_micro));
    if (result.outcome === "refused") return ZERO;
    this.#held_micro = add(this.#held_micro, result.added_micro);
    return result.added_micro;
  }

  /** Has an extension booked in order, before a settlement that follows at once, so that nobody waits for it. */
  extendBeforeSettlement(add_micro: Micro): void {
    // Where the extension fails, the settlement behind it fails, too, and reports it.
    this.#ledger.extend(this.#extendOp(add_micro)).catch(() => {});
  }

  /** Records the answer's progress, in case this process dies. It is not awaited, so the stream is not delayed. */
  recordProgress(progress: Pick<ProgressOp, "model" | "price" | "usage" | "charge_micro">): void {
    const { request_id, account_id } = this.#owner;
    this.#ledger.progress({ op: "progress", request_id, account_id, ...progress, ttl_ms: HOLD_TTL_MS });
  }

  /** Ends the hold with a charge. It is still open where this throws, as the ledger has no charge then. */
  settle(op: SettleOp): ReturnType<Ledger["settle"]> {
    const charge = this.#ledger.settle(op);
    this.#has_ended = true;
    return charge;
  }

  /** Ends the hold without a charge. It is still open where this throws. Rejects where the end could not be written yet. */
  void(outcome: Outcome): Promise<unknown> {
    const { request_id, account_id } = this.#owner;
    const voided = this.#ledger.void({ op: "void", request_id, account_id, outcome, operator_loss_micro: ZERO });
    this.#has_ended = true;
    return voided;
  }

  #extendOp(add_micro: Micro): ExtendOp {
    const { request_id, account_id } = this.#owner;
    return { op: "extend", request_id, account_id, add_micro };
  }
}
