import Type from "typebox";

/** What the schemas of several protocols are made of. */

/** Null is the same as nothing, as in the public APIs. */
export const optional = <Schema extends Type.TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** A name or a text that is not empty. */
export const Filled = Type.String({ minLength: 1 });

export const Count = Type.Integer({ minimum: 0 });

/** What a call cost, as a member of its usage. */
export const Cost = Type.Optional(
  Type.Union([Type.Number(), Type.Null()], { description: "What was charged, in units of the currency." }),
);
