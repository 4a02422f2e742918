import Type from "typebox";

/** The schemas of answers about stored responses (docs/api.md 4.11). */

export const DeletedResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal("response"),
  deleted: Type.Literal(true),
});

const nullable = Type.Union([Type.String(), Type.Null()]);

/** Ids are null where the page has no items. */
export const InputItemList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Type.Object({ id: Type.String() })),
  first_id: nullable,
  last_id: nullable,
  has_more: Type.Boolean(),
});
