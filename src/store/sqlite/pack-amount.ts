import { type Micro, micro } from "../../core/money.ts";

/** An amount as it travels in JSON: a number, and digits beyond what a JSON number is exact for. */
export type PackedAmount = number | string;

export function packAmount(amount: Micro): PackedAmount {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount.toString();
}

export function unpackAmount(amount: PackedAmount): Micro {
  return micro(BigInt(amount));
}
