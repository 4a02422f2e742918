import Type, { type Static } from "typebox";
import { count, micro } from "./answer-fields.ts";
import { AccountName, Currency, closed, Day, oneOf, orNull, ProjectFilter } from "./common.ts";
import { UsageTagName, UsageTagValue } from "./tags.ts";

export const UsageGrouping = oneOf(["key", "model", "day", "account", "project", "tag"]);
export type UsageGrouping = Static<typeof UsageGrouping>;

export const UsageQuery = closed({
  /** An account id or e-mail. Default: all accounts (administrators). */
  account: Type.Optional(Type.String({ description: "an account id or e-mail" })),
  /** UTC days, both inclusive. */
  since: Type.Optional(Day),
  until: Type.Optional(Day),
  /** Only requests that belonged to a project, or to none. */
  project: Type.Optional(ProjectFilter),
  by: Type.Optional(UsageGrouping),
  /** With `by=tag`: the tag by whose values usage is grouped, a request's own before its key's. With `value`: the tag that usage has. */
  tag: Type.Optional(UsageTagName),
  value: Type.Optional(UsageTagValue),
  /** Default: `json`. `csv` answers the rows as a file. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type UsageQuery = Static<typeof UsageQuery>;

const totals = {
  cost_micro: micro("What was charged."),
  prompt_tokens: count("All input, cached tokens included."),
  completion_tokens: count("All output, reasoning included."),
  total_tokens: count("Their sum."),
  request_count: count("Authenticated requests to a generation or decision endpoint, refused ones included."),
  success_count: count("Those that were answered."),
  units: Type.Optional(
    Type.Object(
      {
        input_characters: Type.Optional(count("Characters that were spoken.")),
        input_seconds: Type.Optional(count("Seconds of sound that were transcribed.")),
        images: Type.Optional(count("Images that were made.")),
        searches: Type.Optional(count("Searches of rankings.")),
      },
      { description: "What was charged beside tokens; absent where there was none." },
    ),
  ),
};

export const UsageTotals = Type.Object(totals);
export type UsageTotals = Static<typeof UsageTotals>;

/** `group` is a key id, a model id, a day, an account id, a project id ("": no project) or a tag's value ("": of requests that have it neither themselves nor by their key), according to `by`. */
export const UsageRow = Type.Object({ group: Type.String(), ...totals });
export type UsageRow = Static<typeof UsageRow>;

export const UsageReport = Type.Object({
  object: Type.Literal("list"),
  by: UsageGrouping,
  /** The tag whose values are the groups, or of which only one value was asked for; null in other reports. */
  tag: orNull(UsageTagName),
  /** The only value that was asked for; null: all. */
  value: orNull(Type.String()),
  since: orNull(Day),
  until: orNull(Day),
  currency: Currency,
  data: Type.Array(UsageRow),
  total: UsageTotals,
});
export type UsageReport = Static<typeof UsageReport>;

/** Groups by day, by key, model, project or a tag of keys, or by day and one of those, for stacked charts. */
export const ExploreBy = oneOf([
  "key",
  "model",
  "project",
  "tag",
  "day",
  "day,key",
  "day,model",
  "day,project",
  "day,tag",
]);
export type ExploreBy = Static<typeof ExploreBy>;

export const ExploreQuery = closed({
  account: Type.Optional(AccountName),
  /** UTC days, both inclusive. Without `until`: today; without `since`: thirty days that end at `until`. */
  since: Type.Optional(Day),
  until: Type.Optional(Day),
  /** Default: `day`. */
  by: Type.Optional(ExploreBy),
  /** With `by=tag` or `by=day,tag`: the tag by whose values usage is grouped, a request's own before its key's. With `value`: the tag that usage has. */
  tag: Type.Optional(UsageTagName),
  value: Type.Optional(UsageTagValue),
  /** Only requests of this key. */
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "a key id" })),
  /** Only requests that this model answered. */
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: "a model id" })),
  /** Only requests that belonged to a project, or to none. */
  project: Type.Optional(ProjectFilter),
  /**
   * How many keys or models get groups of their own, those with the highest cost first; the rest is one group,
   * `others`. Default: 100, by day 20, in a CSV file all.
   */
  top: Type.Optional(Type.String({ pattern: "^([1-9]\\d?|100)$", description: "a whole number from 1 to 100" })),
  /** `csv` answers `text/csv` as a download, with the same rows. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type ExploreQuery = Static<typeof ExploreQuery>;

/** A key or model of the report with its totals over all days: a line of the table, a series of the chart. */
export const ExploreGroup = Type.Object({
  /**
   * A key id, model id, project id or tag's value; null for the others together. "" stands for requests that were refused
   * before their model was known, that belonged to no project, or whose key does not have the tag.
   */
  id: orNull(Type.String()),
  /** The name of the key or project; null for models, tags and others. */
  name: orNull(Type.String()),
  others: Type.Boolean(),
  ...totals,
});
export type ExploreGroup = Static<typeof ExploreGroup>;

/** `day` is null in reports that are not by day; `group` (the id of a group) is null in reports by day alone. */
export const ExploreRow = Type.Object({
  day: orNull(Day),
  group: orNull(Type.String()),
  others: Type.Boolean(),
  ...totals,
});
export type ExploreRow = Static<typeof ExploreRow>;

/** What requests have found in the cache of answers, and what its answers would have cost beyond their own price. */
export const CacheUse = Type.Object({
  hits: count("Requests that were given a stored answer."),
  misses: count("Requests that asked for one, and there was none."),
  saved_micro: micro("What the hits would have cost beyond their own price."),
});
export type CacheUse = Static<typeof CacheUse>;

/**
 * `GET /usage/explore`. Days come in order, without days of no use. Groups come by cost, highest first (then by
 * requests, then by id); rows come by day, then in the order of the groups. The totals are the sums of all rows.
 */
export const UsageExploration = Type.Object({
  object: Type.Literal("usage.exploration"),
  by: ExploreBy,
  /** The tag whose values are the groups, or of which only one value was asked for; null in other reports. */
  tag: orNull(UsageTagName),
  /** The only value that was asked for; null: all. */
  value: orNull(Type.String()),
  since: Day,
  until: Day,
  currency: Currency,
  /** Empty in a report by day alone. */
  groups: Type.Array(ExploreGroup),
  data: Type.Array(ExploreRow),
  total: UsageTotals,
  /** Absent where no request asked for a stored answer, and in reports of one key, model, project or tag, by which it is not counted. */
  cache: Type.Optional(CacheUse),
});
export type UsageExploration = Static<typeof UsageExploration>;
