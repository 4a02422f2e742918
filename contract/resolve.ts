import Type, { type Static } from "typebox";
import { closed } from "./common.ts";
import { UpdateKey } from "./keys.ts";
import { Endpoint, ModelKind } from "./models.ts";

const AskedName = Type.String({ minLength: 1, maxLength: 300, description: "a model name of 1 to 300 characters" });

/** `GET /resolve`: what a name stands for when this key is used, as it is stored. */
export const ResolveQuery = closed({
  key: Type.String({ minLength: 1, maxLength: 100, description: "a key id" }),
  name: AskedName,
});
export type ResolveQuery = Static<typeof ResolveQuery>;

/** `POST /resolve`: the same for a key that is being written and not yet stored. Changes nothing. */
export const ResolveDraft = closed({
  name: AskedName,
  aliases: UpdateKey.properties.aliases,
  prefix_aliases: UpdateKey.properties.prefix_aliases,
  models: UpdateKey.properties.models,
});
export type ResolveDraft = Static<typeof ResolveDraft>;

/** Why a name leads where it leads. */
export const ResolveRule = Type.Enum([
  /** It is a model's own id, which wins over every alias. */
  "id",
  /** An alias of the key has exactly this name. */
  "alias",
  /** The longest prefix alias of the key that the name begins with. */
  "prefix-alias",
  /** It leads to a model that the key's model patterns do not allow: `via` and `target` say which. */
  "not-allowed",
  /** An alias leads to a model that is no longer in the catalogue: `via` and `target` say which. */
  "target-missing",
  /** Neither a model nor an alias has this name. */
  "not-found",
]);
export type ResolveRule = Static<typeof ResolveRule>;

export const Resolution = Type.Object({
  object: Type.Literal("resolution"),
  name: Type.String(),
  /** Whether a request with this name reaches a model. Without one it is answered with 404. */
  found: Type.Boolean(),
  rule: ResolveRule,
  /** The alias that was followed; null where none was. A prefix alias is shown as `PREFIX*`. */
  via: Type.Union([Type.String(), Type.Null()]),
  /** The model's id that the name leads to, callable or not; null where it leads nowhere. */
  target: Type.Union([Type.String(), Type.Null()]),
  /** The model that answers; null where there is none. */
  model: Type.Union([
    Type.Object({
      id: Type.String(),
      display_name: Type.String(),
      kind: ModelKind,
      /** A decision model is callable on the decision endpoints only. */
      endpoints: Type.Array(Endpoint),
    }),
    Type.Null(),
  ]),
  /** An alias that this name hides from use: the key has one of the name of a real model. */
  hidden_alias: Type.Union([Type.String(), Type.Null()]),
  /** The same in a sentence. */
  explanation: Type.String(),
});
export type Resolution = Static<typeof Resolution>;
