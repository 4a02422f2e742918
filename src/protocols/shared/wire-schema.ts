import Type from "typebox";

/** What the schemas of several protocols are made of. */

export const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Null is the same as nothing, as in the public APIs. */
export const optional = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(nullable(schema));

/** An object that its type tells from others. */
export function typed<Name extends string, Fields extends Type.TProperties>(type: Name, fields: Fields) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}

/** A name or a text that is not empty. */
export const Filled = Type.String({ minLength: 1 });

export const Count = Type.Integer({ minimum: 0 });

/** What a call cost, as a member of its usage. */
export const Cost = Type.Optional(
  Type.Union([Type.Number(), Type.Null()], { description: "What was charged, in units of the currency." }),
);
