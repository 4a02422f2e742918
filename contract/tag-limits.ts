import Type, { type Static } from "typebox";
import { BudgetUse } from "./budgets.ts";
import { Currency, closed, listOf, nullable, Timestamp } from "./common.ts";
import { BudgetField, Limit, ShownBudget } from "./keys.ts";
import { LONGEST_TAG_VALUE, TAG_VALUE_WORDS } from "./tag-rules.ts";
import { TagName } from "./tags.ts";

/** Limits by tag: what each value of a tag may use, and what single values may (docs/rulings.md 176). */

const rates = {
  /** Requests a minute. */
  rpm: Type.Optional(nullable(Limit)),
  /** Tokens a minute. */
  tpm: Type.Optional(nullable(Limit)),
  /** Requests in flight. */
  concurrent: Type.Optional(nullable(Limit)),
  budget: BudgetField,
};

/** A limit on each value of a tag: at least one of its members is given. */
export const TagLimit = closed({
  tag: TagName,
  /** Requests without the tag are refused. */
  required: Type.Optional(Type.Boolean({ description: "true or false" })),
  ...rates,
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

const shown_limits = {
  rpm: Type.Union([Type.Integer(), Type.Null()]),
  tpm: Type.Union([Type.Integer(), Type.Null()]),
  concurrent: Type.Union([Type.Integer(), Type.Null()]),
  budget: Type.Union([ShownBudget, Type.Null()]),
};

export const ShownTagLimit = Type.Object({ tag: Type.String(), required: Type.Boolean(), ...shown_limits });
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
    project: Type.Union([Type.String(), Type.Null()]),
    ...ShownTagLimit.properties,
    /** How many values have been met, or have limits of their own. */
    value_count: Type.Integer(),
  }),
);
export type TagLimitsOfAccount = Static<typeof TagLimitsOfAccount>;

const TagHolder = Type.Optional(Type.Enum(["account", "gateway"], { description: '"account" or "gateway"' }));
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
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9]\\d?|[1-4]\\d\\d|500)$", description: "a whole number from 1 to 500" }),
  ),
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
  ...shown_limits,
  /** Those of these limits that it has of its own, by their names. */
  own: Type.Array(Type.String()),
  /** Requests in flight. */
  in_flight: Type.Integer(),
  /** When a request was last admitted; null: never. */
  last_used_at: Type.Union([Timestamp, Type.Null()]),
  /** How much of its budget is used; null without a budget. */
  use: Type.Union([BudgetUse, Type.Null()]),
});
export type TagValue = Static<typeof TagValue>;

/** Values of a tag: those that have spent most first. */
export const TagValueList = Type.Object({
  ...listOf(TagValue).properties,
  limit: ShownTagLimit,
  /** How many values there are, or begin so. */
  value_count: Type.Integer(),
  has_more: Type.Boolean(),
  next_before: Type.Union([Type.String(), Type.Null()]),
  currency: Currency,
});
export type TagValueList = Static<typeof TagValueList>;

const OwnLimits = nullable(closed(rates));

/** `PUT /projects/{project}/tags/{tag}/values`: limits of a value of its own. What is left out is as for all values; null: all is. */
export const SetTagValue = closed({ value: TagValueText, limits: OwnLimits });
export type SetTagValue = Static<typeof SetTagValue>;

/** `PUT /accounts/{account}/tags/{tag}/values`. */
export const SetAccountTagValue = closed({ value: TagValueText, limits: OwnLimits, of: TagHolder });
export type SetAccountTagValue = Static<typeof SetAccountTagValue>;
