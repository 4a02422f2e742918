import type { BudgetUse } from "./budgets.ts";
import type { Limits } from "./principal.ts";

/** Projects: groups of an account's keys with a name and limits of their own (docs/design/tags-and-projects.md). */
export interface ProjectRecord {
  readonly id: string;
  readonly account_id: string;
  /** Unique among the projects of its account. */
  readonly name: string;
  readonly created_ms: number;
  /** Limits over all of its keys; null members are not limited. */
  readonly limits: Limits;
  /** What its keys mean where they ask for answers again and name no time; null: nothing (docs/rulings.md 183). */
  readonly cache_ms: number | null;
  /** How many keys belong to it; deleted keys do not count. */
  readonly key_count: number;
  /** How much of its budget is used in the current window; null without a budget. */
  readonly use: BudgetUse | null;
}

export interface NewProject {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly limits: Limits;
  readonly cache_ms?: number | null;
}

export interface ProjectQuery {
  /** Only projects that follow this one in the list. */
  readonly before_id?: string;
  /** When that one was created, where these books need not have it. */
  readonly before_ms?: number;
  readonly limit: number;
  /** Words that name or id contain. */
  readonly search?: string;
}

/** A project's name for lists and reports; deleted ones keep it. */
export interface ProjectLabel {
  readonly id: string;
  readonly name: string;
  readonly deleted: boolean;
}

export interface ProjectChange {
  readonly name?: string;
  readonly limits?: Partial<Limits>;
  readonly cache_ms?: number | null;
}

export interface ProjectStore {
  /** Rejects with a StoreConflict where the account is not there, has a project of this name, or has as many as it may have. */
  createProject(project: NewProject): Promise<ProjectRecord>;
  /** Newest first; of one account, or of all. */
  listProjects(account_id: string | null, query: ProjectQuery): Promise<ProjectRecord[]>;
  /** By id, or by name in an account. Null for a project that was deleted. */
  findProject(project_id: string, account_id?: string): Promise<ProjectRecord | null>;
  /** Changes the name, the limits, or both. Null where there is no such project; rejects with a StoreConflict for a name that is taken. */
  updateProject(project_id: string, change: ProjectChange): Promise<ProjectRecord | null>;
  /** Deletes a project; its usage stays. False where there is none; rejects with a StoreConflict while it has keys. */
  deleteProject(project_id: string): Promise<boolean>;
  /** In no order; unknown ids are left out. */
  labelProjects(project_ids: readonly string[]): Promise<ProjectLabel[]>;
}
