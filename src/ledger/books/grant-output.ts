import type { OutputAllowance, OutputGrant } from "../../core/ledger/ledger.ts";
import { add, type Micro, micro, subtract } from "../../core/money/money.ts";
import { affordableOutput, outputCost } from "../../core/money/price.ts";

/**
 * How much output a request is admitted with where its whole hold cannot be paid (docs/rulings.md 142): as much as half of
 * what is spendable pays for, so that a request beside it finds something too; never less than `least_tokens`, for which
 * all that is spendable may be taken. Null where that does not suffice. The granted hold is at most what is spendable.
 */
export function grantOutput(allowance: OutputAllowance, spendable_micro: Micro): OutputGrant | null {
  const { least_tokens, most_tokens } = allowance;
  const by_half = Math.min(most_tokens, paidBy(allowance, micro(spendable_micro / 2n)));
  const output_tokens = Math.max(least_tokens, by_half);
  const hold_micro = holdOf(allowance, output_tokens);
  return hold_micro <= spendable_micro ? { hold_micro, output_tokens } : null;
}

/** The smallest hold with which the request may be admitted. */
export function leastHold(allowance: OutputAllowance): Micro {
  return holdOf(allowance, allowance.least_tokens);
}

function holdOf({ base_micro, output_micro_per_mtok }: OutputAllowance, tokens: number): Micro {
  return add(base_micro, outputCost(tokens, output_micro_per_mtok));
}

function paidBy({ base_micro, output_micro_per_mtok }: OutputAllowance, amount_micro: Micro): number {
  return amount_micro < base_micro ? 0 : affordableOutput(subtract(amount_micro, base_micro), output_micro_per_mtok);
}
