import Type from "typebox";

/** Schemas that several of the answers have. */

export const cost = Type.Number({
  minimum: 0,
  description:
    "What the answer costs, in units of the currency, to the last micro unit: the receipt's `charge_micro` / 1,000,000. Absent where the operator hides it.",
});
export const always = <Value extends string>(value: Value) => Type.Literal(value);

export function anyOf(values: readonly string[], description: string) {
  return Type.Enum([...values], { description });
}
