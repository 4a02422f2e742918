import Type, { type Static } from "typebox";
import { AccountLimits } from "./accounts.ts";
import { BudgetUse } from "./budgets.ts";
import { AccountName, Currency, closed, listOf, orNull, pageMembers, searchFields, Timestamp } from "./common.ts";
import { cacheField, limitFields } from "./keys.ts";
import { tagLimitFields } from "./tag-limits.ts";

/** Projects: groups of an account's keys with a name and limits of their own (docs/design/tags-and-projects.md). */

const ProjectName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "\\S",
  description: "a text of 1 to 100 characters",
});

export const CreateProject = closed({
  /** An account id or e-mail. */
  account: AccountName,
  /** Unique among the account's projects. */
  name: ProjectName,
  ...limitFields,
  ...tagLimitFields,
  ...cacheField,
});
export type CreateProject = Static<typeof CreateProject>;

/** A member that is left out stays; null takes a limit away. */
export const UpdateProject = closed({
  name: Type.Optional(ProjectName),
  ...limitFields,
  ...tagLimitFields,
  ...cacheField,
});
export type UpdateProject = Static<typeof UpdateProject>;

export const Project = Type.Object({
  id: Type.String(),
  account: Type.String(),
  name: Type.String(),
  created_at: Timestamp,
  /** How many keys belong to it. */
  key_count: Type.Integer(),
  /** Limits over all of its keys. Null: not limited. */
  limits: AccountLimits,
  /** How old an answer may be that is given again to its keys where a request says `x-camino-cache: on`; absent: nothing. */
  cache: Type.Optional(Type.String()),
  /** How much of its budget is used; null without a budget. */
  use: orNull(BudgetUse),
  currency: Currency,
});
export type Project = Static<typeof Project>;

export const ProjectsQuery = closed({ account: Type.Optional(AccountName), ...searchFields });
export type ProjectsQuery = Static<typeof ProjectsQuery>;

export const ProjectList = Type.Object({ ...listOf(Project).properties, ...pageMembers });
export type ProjectList = Static<typeof ProjectList>;
