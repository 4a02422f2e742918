import { add, MAX_MICRO, type Micro, min, subtract } from "../core/money/money.ts";

/** The amounts of an account that move together. `posted_micro` is Σ of its entries: always balance + held. */
export interface Wallet {
  readonly balance_micro: Micro;
  readonly held_micro: Micro;
  readonly posted_micro: Micro;
}

interface SettledWallet {
  readonly wallet: Wallet;
  readonly charge_micro: Micro;
  /** The cost of the usage beyond the hold (docs/rulings.md 23, 145). */
  readonly operator_loss_micro: Micro;
}

/** Moves an amount from the balance into a hold. Null when the balance does not cover it. */
export function hold(wallet: Wallet, amount_micro: Micro): Wallet | null {
  if (wallet.balance_micro < amount_micro) return null;
  return {
    balance_micro: subtract(wallet.balance_micro, amount_micro),
    held_micro: add(wallet.held_micro, amount_micro),
    posted_micro: wallet.posted_micro,
  };
}

/** Ends a hold with a charge of at most what is held; the rest of the hold goes back. */
export function charge(wallet: Wallet, hold_micro: Micro, cost_micro: Micro): SettledWallet {
  const charge_micro = min(cost_micro, hold_micro);
  return {
    wallet: {
      balance_micro: subtract(add(wallet.balance_micro, hold_micro), charge_micro),
      held_micro: subtract(wallet.held_micro, hold_micro),
      posted_micro: subtract(wallet.posted_micro, charge_micro),
    },
    charge_micro,
    // An absurd cost must not keep the request from being settled: the loss is cut to what a column can hold.
    operator_loss_micro: min(subtract(cost_micro, charge_micro), MAX_MICRO),
  };
}

/** Ends a hold without a charge: all of it goes back to the balance. */
export function release(wallet: Wallet, hold_micro: Micro): Wallet {
  return {
    balance_micro: add(wallet.balance_micro, hold_micro),
    held_micro: subtract(wallet.held_micro, hold_micro),
    posted_micro: wallet.posted_micro,
  };
}
