import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Micro, micro, ZERO } from "../core/money/money.ts";
import { charge, hold, release, type Wallet } from "./wallet.ts";

const amount = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(micro);
/** A wallet with one hold open among others. */
const walletWithHold = fc.tuple(amount, amount, amount).map(([balance_micro, hold_micro, other]) => {
  const held_micro = micro(hold_micro + other);
  return { wallet: { balance_micro, held_micro, posted_micro: micro(balance_micro + held_micro) }, hold_micro };
});

function expectSound({ balance_micro, held_micro, posted_micro }: Wallet): void {
  expect(balance_micro >= ZERO).toBe(true);
  expect(held_micro >= ZERO).toBe(true);
  expect<bigint>(balance_micro + held_micro).toBe(posted_micro);
}

describe("a wallet", () => {
  test("holds what its balance covers, and not one micro more", () => {
    fc.assert(
      fc.property(walletWithHold, amount, ({ wallet }, wanted) => {
        const after = hold(wallet, wanted);
        expect(after === null).toBe(wanted > wallet.balance_micro);
        if (after === null) return;
        expectSound(after);
        expect(after.posted_micro).toBe(wallet.posted_micro);
      }),
    );
  });

  test("is charged what it costs as far as the hold goes; the rest is the operator's loss", () => {
    fc.assert(
      fc.property(walletWithHold, amount, ({ wallet, hold_micro }, cost_micro) => {
        const { wallet: after, charge_micro, operator_loss_micro } = charge(wallet, hold_micro, cost_micro);
        expectSound(after);
        expect<bigint>(charge_micro + operator_loss_micro).toBe(cost_micro);
        expect<bigint>(wallet.posted_micro - after.posted_micro).toBe(charge_micro);
        expect<bigint>(wallet.held_micro - after.held_micro).toBe(hold_micro);
        expect(charge_micro <= hold_micro).toBe(true);
        if (operator_loss_micro > ZERO) expect<Micro>(charge_micro).toBe(hold_micro);
      }),
    );
  });

  test("is as before when a hold is released", () => {
    fc.assert(
      fc.property(walletWithHold, amount, ({ wallet }, wanted) => {
        const held = hold(wallet, wanted);
        if (held !== null) expect(release(held, wanted)).toEqual(wallet);
      }),
    );
  });
});
