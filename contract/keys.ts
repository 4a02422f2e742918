import Type, { type Static, type TSchema } from "typebox";
import {
  Amount,
  closed,
  FutureTime,
  fileField,
  listOf,
  Micro,
  Name,
  nullable,
  oneOf,
  orNull,
  ProjectRef,
  pageMembers,
  searchFields,
  Timestamp,
} from "./common.ts";
import { NewTags, TagChanges, TagFilter, Tags } from "./tags.ts";

const ALIAS_PATTERN = "^[A-Za-z0-9._:/-]{1,128}$";
const alias_words = "1 to 128 characters of A-Z a-z 0-9 . _ : / -";
const ModelId = Type.String({ minLength: 1, maxLength: 256, description: "the id of a model in the catalog" });

export const Alias = closed({
  name: Type.String({ pattern: ALIAS_PATTERN, description: alias_words }),
  model: ModelId,
});
export type Alias = Static<typeof Alias>;

export const PrefixAlias = closed({
  prefix: Type.String({ pattern: ALIAS_PATTERN, description: `${alias_words} (without a * at the end)` }),
  model: ModelId,
});
export type PrefixAlias = Static<typeof PrefixAlias>;

export const BudgetWindow = oneOf(["day", "week", "month", "once"]);

const Limit = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: "a whole number from 1 to 1000000000",
});

const ModelPattern = Type.String({
  pattern: "^[^\\s,]{1,256}$",
  description: "a model id in which * stands for any text",
});
/** The limits that everything may have that is limited. Null: none. */
export const ruleFields = {
  /** Requests a minute. */
  rpm: Type.Optional(nullable(Limit)),
  /** Tokens a minute. */
  tpm: Type.Optional(nullable(Limit)),
  /** Requests in flight. */
  concurrent: Type.Optional(nullable(Limit)),
  budget: Type.Optional(nullable(closed({ amount: Amount, window: BudgetWindow }))),
};

/** A limit on the use of the models of a pattern, beside all others: at least one of its members is given. */
export const ModelLimit = closed({ models: ModelPattern, ...ruleFields });
export type ModelLimit = Static<typeof ModelLimit>;

/** The limits that a key may have, and an account over all of its keys. */
export const limitFields = {
  /** Patterns of model ids that the key may use; `*` stands for any text. Null: all models. */
  models: Type.Optional(
    nullable(
      Type.Array(ModelPattern, { minItems: 1, maxItems: 200, description: "an array of 1 to 200 model id patterns" }),
    ),
  ),
  /** Where a key has no requests a minute or in flight of its own, the configuration's default holds. */
  ...ruleFields,
  /** Limits by model, in place of all that were there; every one whose pattern matches is judged. Null: none. */
  model_limits: Type.Optional(
    nullable(Type.Array(ModelLimit, { maxItems: 50, description: "an array of at most 50 limits by model" })),
  ),
};

/** How old an answer may be that is given again where a request says `x-camino-cache: on`. Null: as the project says, or nothing. */
export const cacheField = {
  cache: Type.Optional(
    nullable(Type.String({ pattern: "^0*[1-9]\\d{0,7}(s|m|h|d)$", description: "a time such as 90s, 10m, 12h or 7d" })),
  ),
};

/** The fields that may be set when a key is made and changed afterwards. */
const fields = {
  name: Type.Optional(Name),
  aliases: Type.Optional(Type.Array(Alias, { maxItems: 200, description: "an array of at most 200 aliases" })),
  prefix_aliases: Type.Optional(
    Type.Array(PrefixAlias, { maxItems: 200, description: "an array of at most 200 prefix aliases" }),
  ),
  ...limitFields,
  ...cacheField,
  /** The id or the name of a project of the account. Null: none. Left out of a user's new key: that of their membership. Who moves a key of the account needs the scope `projects:write`. */
  project: Type.Optional(nullable(ProjectRef)),
  expires_at: Type.Optional(nullable(FutureTime)),
};

export const CreateKey = closed({
  /** An account id or e-mail. */
  account: Type.String({ minLength: 1, maxLength: 254, description: "an account id or e-mail address" }),
  ...fields,
  tags: Type.Optional(NewTags),
});
export type CreateKey = Static<typeof CreateKey>;

/** A member that is left out stays. Null in place of tags takes all tags away. */
export const UpdateKey = closed({ ...fields, tags: Type.Optional(nullable(TagChanges)) });
export type UpdateKey = Static<typeof UpdateKey>;

export const KeyStatus = Type.Enum(["active", "disabled", "revoked"]);

/** The place where an administrator has set a value that members cannot go above. */
export const CeilingSource = Type.Enum(["key", "account", "configuration"]);

function ceiling<Value extends TSchema>(value: Value) {
  return orNull(Type.Object({ value, set_on: CeilingSource }));
}

export const ShownBudget = Type.Object({ amount_micro: Micro, window: BudgetWindow });
export type ShownBudget = Static<typeof ShownBudget>;

/** Limits as they are shown; null: none, or the default. */
export const shownRule = {
  rpm: orNull(Type.Integer()),
  tpm: orNull(Type.Integer()),
  concurrent: orNull(Type.Integer()),
  budget: orNull(ShownBudget),
};

export const ShownModelLimit = Type.Object({
  models: Type.String(),
  ...shownRule,
  /** An administrator has set it on the key: members of the account neither change it nor take it away. */
  by_administrator: Type.Optional(Type.Boolean()),
});
export type ShownModelLimit = Static<typeof ShownModelLimit>;

/** The highest values that members of the account may set; null: any value. */
export const KeyCeilings = Type.Object({
  models: ceiling(Type.Array(Type.String())),
  rpm: ceiling(Type.Integer()),
  tpm: ceiling(Type.Integer()),
  concurrent: ceiling(Type.Integer()),
  budget: ceiling(ShownBudget),
  expires_at: ceiling(Timestamp),
});
export type KeyCeilings = Static<typeof KeyCeilings>;

const shown = {
  account: Type.String(),
  /** The project that the key belongs to; null: none. */
  project: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  name: Type.String(),
  tags: Tags,
  status: KeyStatus,
  /** The key's last four characters. */
  hint: Type.String(),
  aliases: Type.Array(Alias),
  prefix_aliases: Type.Array(PrefixAlias),
  models: orNull(Type.Array(Type.String())),
  ...shownRule,
  /** Limits by model; absent: none. */
  model_limits: Type.Optional(Type.Array(ShownModelLimit)),
  /** What `x-camino-cache: on` stands for; absent: what the project says. */
  cache: Type.Optional(Type.String()),
  expires_at: orNull(Timestamp),
  /** Until when the secret before the last roll is valid; null: it is not. */
  old_secret_until: orNull(Timestamp),
  created_at: Timestamp,
  last_used_at: orNull(Timestamp),
  /** Whether the playground made the key, for one user: see playground.ts. */
  playground: Type.Boolean(),
  /** An administrator has disabled the key: members cannot enable it. */
  barred: Type.Boolean(),
  ceilings: KeyCeilings,
};

export const Key = Type.Object({ id: Type.String(), ...shown });
export type Key = Static<typeof Key>;

/** The answer to a key's creation: the only time that `key` is shown. */
export const CreatedKey = Type.Object({ id: Type.String(), key: Type.String(), ...shown });
export type CreatedKey = Static<typeof CreatedKey>;

/** The longest time for which a rolled key's old secret stays valid: seven days. */
export const LONGEST_OVERLAP_S = 7 * 24 * 60 * 60;

export const RollKey = closed({
  /** For how many seconds the old secret stays valid. Default: 0, it ends at once. */
  overlap_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_OVERLAP_S,
      description: `a whole number of seconds from 0 to ${LONGEST_OVERLAP_S}`,
    }),
  ),
});
export type RollKey = Static<typeof RollKey>;

/** The answer to a roll: the only time that the new secret is shown. */
export const RolledKey = CreatedKey;
export type RolledKey = CreatedKey;

export const KeyList = Type.Object({ ...listOf(Key).properties, ...pageMembers });
export type KeyList = Static<typeof KeyList>;

export const KeyListQuery = closed({
  account: Type.Optional(Type.String({ description: "an account id or e-mail" })),
  /** Only keys of a project, or of none. */
  project: Type.Optional(
    Type.String({ pattern: "^(none|proj_[A-Za-z0-9]{1,60})$", description: 'the id of a project, or "none"' }),
  ),
  /** Only keys with a tag of this value, or without the tag. */
  tag: Type.Optional(TagFilter),
  ...searchFields,
  ...fileField,
  /** `aliases`: only keys with aliases. */
  has: Type.Optional(oneOf(["aliases"])),
  /** `active`: keys that work; `unused`: those of them that nobody has used for 90 days; `expired`: those that would work, were their time not over. */
  status: Type.Optional(oneOf(["active", "unused", "expired", "disabled", "revoked"])),
});
export type KeyListQuery = Static<typeof KeyListQuery>;
