import Type, { type Static } from "typebox";
import { BudgetUse } from "./budgets.ts";
import { Currency, closed, listOf, nullable, oneOf, orNull, pageFields, Timestamp } from "./common.ts";
import { ruleFields, shownRule } from "./keys.ts";
import { LONGEST_TAG_VALUE, TAG_VALUE_WORDS } from "./tag-rules.ts";
import { TagName } from "./tags.ts";

/** Limits by tag: what each value of a tag may use, and what single values may (docs/rulings.md 176). */

/** A limit on each value of a tag: at least one of its members is given. */
export const TagLimit = closed({
  tag: TagName,
  /** Requests without the tag are refused. */
  required: Type.Optional(Type.Boolean({ description: "true or false" })),
  ...ruleFields,
});
export type TagLimit = Static<typeof TagLimit>;

/** The limits by tag that an account and a project may have. */
export const tagLimitFields = {
  /** In place of all that were there. Null: none. */
  tag_limits: Type.Optional(
    nullable(Type.Array(TagLimit, { maxItems: 10, description: "an array of at most 10 limits by tag" })),
  ),
  /** The tag whose value is the end user's id (`safety_identifier`, `user` or `metadata.user_id`) where a request names no other. Null: none. */
  end_user_tag: Type.Optional(nullable(TagName)),
};

export const ShownTagLimit = Type.Object({ tag: Type.String(), required: Type.Boolean(), ...shownRule });
export type ShownTagLimit = Static<typeof ShownTagLimit>;

/** The limits by tag, as accounts and projects show them. */
export const shownTagLimits = {
  /** Limits by tag; absent: none. */
  tag_limits: Type.Optional(Type.Array(ShownTagLimit)),
  /** The tag whose value is the end user's id; absent: none. */
  end_user_tag: Type.Optional(Type.String()),
};

/** `GET /accounts/{account}/tag-limits`: all limits by tag that concern an account's requests. */
export const TagLimitsOfAccount = listOf(
  Type.Object({
    /** Whose limit it is: the `account`, a project by its id, or the `gateway`, which counts for each account apart. */
    holder: Type.String(),
    /** The project's name; null where the holder is none. */
    project: orNull(Type.String()),
    ...ShownTagLimit.properties,
    /** How many values have been met, or have limits of their own. */
    value_count: Type.Integer(),
  }),
);
export type TagLimitsOfAccount = Static<typeof TagLimitsOfAccount>;

const TagHolder = Type.Optional(oneOf(["account", "gateway"]));
const TagValueText = Type.String({ maxLength: 2 * LONGEST_TAG_VALUE, description: TAG_VALUE_WORDS });

const values_query = {
  /** Only values that begin so. */
  prefix: Type.Optional(TagValueText),
  /** Only this value: also one that has used nothing yet. */
  value: Type.Optional(TagValueText),
  /** Only values that follow in the list: the `next_before` of the page before. */
  before: Type.Optional(
    Type.String({ pattern: "^\\d{1,16}:.{1,200}$", description: "the next_before of an earlier page" }),
  ),
  limit: pageFields.limit,
};

/** `GET /projects/{project}/tags/{tag}/values`. */
export const TagValuesQuery = closed(values_query);
export type TagValuesQuery = Static<typeof TagValuesQuery>;

/** `GET /accounts/{account}/tags/{tag}/values`; `of`: whose limit. Default: the account's. */
export const AccountTagValuesQuery = closed({ ...values_query, of: TagHolder });
export type AccountTagValuesQuery = Static<typeof AccountTagValuesQuery>;

/** A value of a tag: what it may use, and has used. */
export const TagValue = Type.Object({
  value: Type.String(),
  ...shownRule,
  /** Those of these limits that it has of its own, by their names. */
  own: Type.Array(Type.String()),
  /** Requests in flight. */
  in_flight: Type.Integer(),
  /** When a request was last admitted; null: never. */
  last_used_at: orNull(Timestamp),
  /** How much of its budget is used; null without a budget. */
  use: orNull(BudgetUse),
});
export type TagValue = Static<typeof TagValue>;

/** Values of a tag: those that have spent most first. */
export const TagValueList = Type.Object({
  ...listOf(TagValue).properties,
  limit: ShownTagLimit,
  /** How many values there are, or begin so. */
  value_count: Type.Integer(),
  has_more: Type.Boolean(),
  next_before: orNull(Type.String()),
  currency: Currency,
});
export type TagValueList = Static<typeof TagValueList>;

const OwnLimits = nullable(closed(ruleFields));

/** `PUT /projects/{project}/tags/{tag}/values`: limits of a value of its own. What is left out is as for all values; null: all is. */
export const SetTagValue = closed({ value: TagValueText, limits: OwnLimits });
export type SetTagValue = Static<typeof SetTagValue>;

/** `PUT /accounts/{account}/tags/{tag}/values`. */
export const SetAccountTagValue = closed({ value: TagValueText, limits: OwnLimits, of: TagHolder });
export type SetAccountTagValue = Static<typeof SetAccountTagValue>;
