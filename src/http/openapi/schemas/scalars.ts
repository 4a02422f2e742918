import Type, { type TSchema } from "typebox";

/** The scalar schemas that the answers' schemas are built from. */

export const text = (description: string) => Type.String({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const micro = (description: string) => Type.Integer({ description: `${description} In micro units.` });
export const cost = Type.Number({
  minimum: 0,
  description:
    "What the answer costs, in units of the currency, to the last micro unit: the receipt's `charge_micro` / 1,000,000. Absent where the operator hides it.",
});
export const always = <Value extends string>(value: Value) => Type.Literal(value);
export const duration = (description: string) => nullable(Type.Number({ minimum: 0 }), description);
export const unixSeconds = (description: string) => Type.Integer({ minimum: 0, description });

export function oneOf(values: readonly string[], description: string) {
  return Type.Enum([...values], { description });
}

export function nullable<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}
