import Type, { type Static, type TSchema } from "typebox";
import { AMOUNT } from "../src/core/money/money.ts";
import { ACCOUNT_ROLES } from "./permissions.ts";

/**
 * Schemas and types of the console API, shared by the gateway, the command line and the browser console: the shape of
 * everything under /console/api/. Amounts go in as decimal strings in the currency's unit and come out as whole micro
 * units; times are RFC 3339 in UTC. A `description` says what is allowed, in the words that error messages use.
 */

export const Micro = Type.Integer({ description: "a whole number of micro units" });
export const Timestamp = Type.String({ description: "a time in RFC 3339, UTC" });
export const Currency = Type.String({ description: "an ISO 4217 code" });

export const Amount = Type.String({
  pattern: AMOUNT.source,
  description: 'a decimal string in units of the currency with at most six decimals, such as "25" or "0.000001"',
});

/** An amount that may have a minus before it. */
export const SignedAmount = Type.String({
  pattern: AMOUNT.source.replace("^", "^-?"),
  description: 'a decimal string in units of the currency with at most six decimals, such as "25" or "-1.50"',
});

export const Day = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  description: "a UTC day, YYYY-MM-DD",
});

const DAY_OR_TIME = "^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$";

/** A UTC day, or a time: the bounds of lists. */
export const DayOrTime = Type.String({
  pattern: DAY_OR_TIME,
  description: "a UTC day YYYY-MM-DD (its beginning) or a time in RFC 3339",
});

/** When something ends that is made now. */
export const FutureTime = Type.String({
  pattern: DAY_OR_TIME,
  description: "a future day YYYY-MM-DD (its beginning, UTC) or a time in RFC 3339",
});

/** The account that a call is about, by id or e-mail. Members may leave it out or name their own. */
export const AccountName = Type.String({
  minLength: 1,
  maxLength: 254,
  description: "an account id or e-mail address",
});

/** A member's role in an account, which gives its scopes (permissions.ts). */
export const AccountRole = oneOf(ACCOUNT_ROLES);

/** A project as requests name it. */
export const ProjectRef = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "the id or name of a project of the account",
});

/** In filters: records without a project. */
export const NO_PROJECT = "none";

/** A filter by project. */
export const ProjectFilter = Type.String({
  pattern: "^(none|proj_[A-Za-z0-9]{1,60})$",
  description: 'the id of a project, or "none"',
});

export const Note = Type.String({ maxLength: 500, description: "a text of at most 500 characters" });
export const Name = Type.String({ maxLength: 200, description: "a text of at most 200 characters" });

/** One of some texts; the description that error messages show lists them. */
export function oneOf<const Values extends string[]>(values: readonly [...Values]) {
  const quoted = values.map((value) => JSON.stringify(value));
  const last = quoted.pop();
  return Type.Enum([...values], { description: quoted.length === 0 ? `${last}` : `${quoted.join(", ")} or ${last}` });
}

/** A member of an answer that may be null. */
export function orNull<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** A field of a request that also takes `null`, with the schema's own description. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const allowed = "description" in schema ? `${schema.description}, or null` : "null or a value";
  return Type.Union([schema, Type.Null()], { description: allowed });
}

/** The schema of a request body or query. Unknown fields are refused, so that a mistyped field is noticed. */
export function closed<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false, description: "an object" });
}

/** The envelope of every list. */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Object({ object: Type.Literal("list"), data: Type.Array(item) });
}

/** The query fields of lists that can grow long, newest first. */
export const pageFields = {
  /** Only records that are older than this id: the `next_before` of the page before. */
  before: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9_]{1,100}$", description: "the next_before of an earlier page" }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9]\\d?|[1-4]\\d\\d|500)$", description: "a whole number from 1 to 500" }),
  ),
};
/** The query fields of lists that come whole unless a page is asked for: with `limit` newest first, a page at a time. */
export const searchFields = {
  ...pageFields,
  /** Words that must all occur in what people know of a record: e-mail, name, id. */
  q: Type.Optional(Type.String({ maxLength: 200, description: "a text of at most 200 characters" })),
};

/** The query field of lists that are files too. */
export const fileField = {
  /** `csv` answers `text/csv` as a download: all rows that fit, however many; `limit` and `before` do not count. */
  format: Type.Optional(oneOf(["json", "csv"])),
};

/** The members that a list has where a page was asked for. */
export const pageMembers = {
  has_more: Type.Optional(Type.Boolean()),
  /** Asks for the next, older page; null on the last one. */
  next_before: Type.Optional(orNull(Type.String())),
};

export type PageQuery = { before?: string; limit?: string };

/** A page of a long list. */
export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    /** Asks for the next, older page; null on the last one. */
    next_before: orNull(Type.String()),
    currency: Currency,
  });
}

/** The body of the answer to a refused request. */
export const ErrorBody = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: orNull(Type.String()),
    code: Type.String(),
  }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The query, or body, of calls about one account: without a name the caller's own, or all accounts where a list is for all. */
export const OfAccount = closed({ account: Type.Optional(AccountName) });
export type OfAccount = Static<typeof OfAccount>;

export const Deleted = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });
export type Deleted = Static<typeof Deleted>;

export const NoFields = closed({});

/** The path of the console API under the gateway's address. */
export const CONSOLE_API = "/console/api";
