import type { ProgressOp } from "../../core/ledger/ledger.ts";
import type { Micro } from "../../core/money/money.ts";
import { micro } from "../../core/money/money.ts";
import type { Price } from "../../core/money/price.ts";
import type { Usage } from "../../core/money/usage.ts";
import { frozen } from "./price-text.ts";

/** How far a running request has come: what a recovery charges when the request's process dies. */
interface Progress {
  readonly model: string;
  readonly price: Price;
  readonly usage: Usage;
  readonly charge_micro: Micro;
}

/** A progress as a request's row keeps it: JSON, with the amount as its digits. */
export function progressText({ model, price, usage, charge_micro }: Pick<ProgressOp, keyof Progress>): string {
  return JSON.stringify({ model, price: frozen(price), usage, charge_micro: charge_micro.toString() });
}

export function readProgress(text: string): Progress {
  const { model, price, usage, charge_micro }: Omit<Progress, "charge_micro"> & { readonly charge_micro: string } =
    JSON.parse(text);
  return { model, price, usage, charge_micro: micro(BigInt(charge_micro)) };
}
