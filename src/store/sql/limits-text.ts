import { micro } from "../../core/money/money.ts";

/** Limits as JSON, with amounts as their digits. */
export function limitsText(limits: object): string {
  return JSON.stringify(limits, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

export function readLimitsText<Shape>(text: string): Shape {
  return JSON.parse(text, (name, value: unknown) =>
    name === "amount_micro" && typeof value === "string" ? micro(BigInt(value)) : value,
  ) as Shape;
}
