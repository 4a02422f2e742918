import Type, { type Static } from "typebox";
import { closed, orNull } from "./common.ts";
import { UpdateKey } from "./keys.ts";
import { Endpoint, ModelKind } from "./models.ts";

const AskedName = Type.String({ minLength: 1, maxLength: 300, description: "a model name of 1 to 300 characters" });

/** `GET /resolve`: the model that a name stands for in requests with a stored key. */
export const ResolveQuery = closed({
  key: Type.String({ minLength: 1, maxLength: 100, description: "a key id" }),
  name: AskedName,
});
export type ResolveQuery = Static<typeof ResolveQuery>;

/** `POST /resolve`: the model that a name would stand for with settings that are not stored yet. Changes nothing. */
export const ResolveDraft = closed({
  name: AskedName,
  aliases: UpdateKey.properties.aliases,
  prefix_aliases: UpdateKey.properties.prefix_aliases,
  models: UpdateKey.properties.models,
});
export type ResolveDraft = Static<typeof ResolveDraft>;

/** The rule by which a name was resolved. */
export const ResolveRule = Type.Enum([
  /** The name is a model's own id, which wins over every alias. */
  "id",
  /** An alias of the key has exactly this name. */
  "alias",
  /** The longest prefix alias of the key that the name begins with. */
  "prefix-alias",
  /** The name leads to a model that the key's model patterns do not allow: see `via` and `target`. */
  "not-allowed",
  /** An alias leads to a model that is no longer in the catalogue: see `via` and `target`. */
  "target-missing",
  /** No model and no alias has this name. */
  "not-found",
]);
export type ResolveRule = Static<typeof ResolveRule>;

export const Resolution = Type.Object({
  object: Type.Literal("resolution"),
  name: Type.String(),
  /** Whether a request with this name reaches a model. A request that reaches none is answered with 404. */
  found: Type.Boolean(),
  rule: ResolveRule,
  /** The alias that was followed; null where the name needed no alias. A prefix alias is shown as `PREFIX*`. */
  via: orNull(Type.String()),
  /** The model's id that the name leads to, callable or not; null where it leads nowhere. */
  target: orNull(Type.String()),
  /** The model that answers; null where no model does. */
  model: orNull(
    Type.Object({
      id: Type.String(),
      display_name: Type.String(),
      kind: ModelKind,
      /** A decision model is callable on the decision endpoints only. */
      endpoints: Type.Array(Endpoint),
    }),
  ),
  /** The key's alias of this name that is never used, because a real model has the name; null where there is none. */
  hidden_alias: orNull(Type.String()),
  /** The resolution as a sentence. */
  explanation: Type.String(),
});
export type Resolution = Static<typeof Resolution>;
