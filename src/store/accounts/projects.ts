import type { BudgetUse } from "../../core/people/budgets.ts";
import type { Limits } from "../../core/people/principal.ts";
import type {
  NewProject,
  ProjectChange,
  ProjectLabel,
  ProjectQuery,
  ProjectRecord,
} from "../../core/people/projects.ts";
import type { MirroredProject } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { noProject } from "../../people/members/change-membership.ts";
import { now_ms } from "../sql/clock.ts";
import { columnsOf, int, intOrNull, type RawRow, readRow, text } from "../sql/columns.ts";
import { behind, placeIn } from "../sql/page.ts";
import { searchCondition, searchParams } from "../sql/search.ts";
import type { KeptSumRow } from "../sql/spent-since.ts";
import { lookup, sql, sqlFor } from "../sql/statement.ts";
import { toInt, toMicro } from "../sql/values.ts";
import { row, rows, type Work } from "../sql/work.ts";
import { budgetUseOf, calendarOf } from "./budget-use.ts";
import { LIMIT_COLUMNS, type LimitsRow, limitValues, readLimits } from "./limit-columns.ts";
import { renewKeys, requireAccount } from "./locks.ts";
import { RAISE_COLUMNS, type RaiseRow } from "./raises.ts";

/** The most projects that an account may have: far more than anybody makes by hand. */
const PROJECTS_AT_MOST = 1000;

const OWN = { id: text, account_id: text, name: text, created_ms: int, cache_ms: intOrNull } as const;
const SHARED = [...LIMIT_COLUMNS, ...RAISE_COLUMNS, "held_micro", "spent_window", "spent_start_day", "spent_micro"];
const SELECT = `SELECT ${columnsOf(OWN, "p")}, ${SHARED.map((name) => `p.${name}`).join(", ")},
    (SELECT a.time_zone FROM accounts AS a WHERE a.id = p.account_id) AS time_zone,
    (SELECT count(*) FROM keys AS k WHERE k.project_id = p.id AND k.deleted_ms IS NULL) AS key_count
  FROM projects AS p JOIN accounts AS home ON home.id = p.account_id WHERE p.deleted_ms IS NULL AND home.cell IS NULL`;

const PROJECT = { ...OWN, key_count: int } as const;
type StoredProjectRow = RawRow<typeof PROJECT> &
  LimitsRow &
  RaiseRow &
  KeptSumRow & { readonly held_micro: unknown; readonly time_zone: string | null };

function* projectRecord(found: StoredProjectRow, now: number): Work<ProjectRecord> {
  const limits = readLimits(found);
  return { ...readRow(PROJECT, found), limits, use: yield* budgetUse(found, limits, now) };
}

function* budgetUse(found: StoredProjectRow, { budget }: Limits, now: number): Work<BudgetUse | null> {
  if (budget === null) return null;
  const { id: project_id, account_id, time_zone } = found;
  const more = { ...calendarOf(time_zone, now), held_micro: toMicro(found.held_micro) };
  return yield* budgetUseOf(found, { account_id, project_id }, budget, more);
}

const selectById = sql(`${SELECT} AND p.id = ?`);
const selectByName = sql(`${SELECT} AND p.account_id = ? AND p.name = ?`);
const selectPage = sql(
  `${SELECT} AND (CAST(? AS TEXT) IS NULL OR p.account_id = ?)
    AND ${behind("p.")} AND ${searchCondition("lower(p.name || ' ' || p.id)")}
    ORDER BY p.created_ms DESC, p.id DESC LIMIT ?`,
);

export function* listProjects(account_id: string | null, query: ProjectQuery): Work<ProjectRecord[]> {
  const { limit, search } = query;
  const place = yield* placeIn("projects", query);
  if (place === null) return [];
  const now = yield* now_ms();
  const params = [account_id, account_id, ...place, ...searchParams(search), limit];
  const page: ProjectRecord[] = [];
  for (const each of yield* rows<StoredProjectRow>(selectPage, params)) page.push(yield* projectRecord(each, now));
  return page;
}

export function* findProject(id_or_name: string, account_id?: string): Work<ProjectRecord | null> {
  const by_id = yield* row<StoredProjectRow>(selectById, [id_or_name]);
  const found =
    by_id === null && account_id !== undefined
      ? yield* row<StoredProjectRow>(selectByName, [account_id, id_or_name])
      : by_id;
  return found && (yield* projectRecord(found, yield* now_ms()));
}

/** Locks the account, as an admission does, for a change of a project or of its keys. */
const lockAccountOf = sqlFor({
  sqlite: "SELECT account_id AS id FROM projects WHERE id = ?",
  postgres:
    "SELECT a.id FROM accounts AS a JOIN projects AS p ON p.account_id = a.id WHERE p.id = ? FOR NO KEY UPDATE OF a",
});
const countOfAccount = sql("SELECT count(*) AS count FROM projects WHERE account_id = ? AND deleted_ms IS NULL");
const insertProject = sql(
  `INSERT INTO projects (id, account_id, name, created_ms, cache_ms, ${LIMIT_COLUMNS.join(", ")})
    VALUES (?, ?, ?, ?, ?, ${LIMIT_COLUMNS.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING RETURNING id`,
);
const selectId = sql("SELECT id FROM projects WHERE id = ?");

export function* createProject({ id, account_id, name, limits, cache_ms }: NewProject): Work<ProjectRecord> {
  yield* requireAccount(account_id);
  const has = yield* row<{ count: unknown }>(countOfAccount, [account_id]);
  if (toInt(has?.count) >= PROJECTS_AT_MOST)
    throw new StoreConflict(`The account ${account_id} has ${PROJECTS_AT_MOST} projects, which is the most.`);
  const params = [id, account_id, name, yield* now_ms(), cache_ms ?? null, ...limitValues(limits)];
  if ((yield* row(insertProject, params)) !== null) return yield* existing(id);
  if ((yield* row(selectId, [id])) !== null)
    throw new StoreConflict(`There is or was a project ${id}: its Idempotency-Key made it.`);
  throw nameTaken(name);
}

function nameTaken(name: string): StoreConflict {
  return new StoreConflict(`The account has a project with the name '${name}' already.`);
}

const selectName = sql("SELECT id FROM projects WHERE account_id = ? AND name = ? AND id <> ? AND deleted_ms IS NULL");
const updateRow = sql(
  `UPDATE projects SET name = ?, cache_ms = ?, ${LIMIT_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
);

export function* updateProject(project_id: string, change: ProjectChange): Work<ProjectRecord | null> {
  yield* rows(lockAccountOf, [project_id]);
  const project = yield* findProject(project_id);
  if (project === null) return null;
  const { name = project.name, cache_ms = project.cache_ms } = change;
  if ((yield* row(selectName, [project.account_id, name, project_id])) !== null) throw nameTaken(name);
  yield* rows(updateRow, [name, cache_ms, ...limitValues({ ...project.limits, ...change.limits }), project_id]);
  // The keys' records contain its name and models.
  yield* rows(renewKeys.project, [project_id]);
  return yield* existing(project_id);
}

const markDeleted = sql("UPDATE projects SET deleted_ms = ? WHERE id = ?");
/** Takes deleted keys out of the project, as nothing else changes their rows any more. */
const releaseKeys = sql("UPDATE keys SET project_id = NULL WHERE project_id = ? AND deleted_ms IS NOT NULL");

export function* deleteProject(project_id: string): Work<boolean> {
  yield* rows(lockAccountOf, [project_id]);
  const project = yield* findProject(project_id);
  if (project === null) return false;
  if (project.key_count > 0) {
    const keys = project.key_count === 1 ? "a key" : `${project.key_count} keys`;
    throw new StoreConflict(`The project '${project.name}' has ${keys}: move them or delete them first.`);
  }
  yield* rows(releaseKeys, [project_id]);
  yield* rows(markDeleted, [yield* now_ms(), project_id]);
  return true;
}

const selectLabels = lookup("SELECT id, name, deleted_ms FROM projects", { id: "text" });

export function* labelProjects(project_ids: readonly string[]): Work<ProjectLabel[]> {
  const params = [...new Set(project_ids)].map((id) => [id]);
  if (params.length === 0) return [];
  const found = yield* rows<{ id: string; name: string; deleted_ms: unknown }>(selectLabels, params);
  return found.map(({ id, name, deleted_ms }) => ({ id, name, deleted: deleted_ms !== null }));
}

function* existing(project_id: string): Work<ProjectRecord> {
  const project = yield* findProject(project_id);
  if (project === null) throw new Error(`the project ${project_id} was not written`);
  return project;
}

const selectOpen = sql("SELECT id FROM projects WHERE id = ? AND account_id = ? AND deleted_ms IS NULL");

/** Whether an account has a project; null is none. */
export function* hasProject(account_id: string, project_id: string | null): Work<boolean> {
  return project_id !== null && (yield* row(selectOpen, [project_id, account_id])) !== null;
}

/** Throws a StoreConflict where an account does not have a project that a key is to belong to. The caller holds the account. */
export function* requireProject(account_id: string, project_id: string): Work<void> {
  if (!(yield* hasProject(account_id, project_id))) throw new StoreConflict(noProject(account_id, project_id));
}

/** Another project that had the name before: its own cell has renamed or deleted it. */
const freeName = sql("UPDATE projects SET name = name || ' ' || id WHERE account_id = ? AND name = ? AND id <> ?");
const upsertMirrored = sql(
  `INSERT INTO projects (id, account_id, name, created_ms, deleted_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, deleted_ms = excluded.deleted_ms`,
);

/** The directory's row of a project whose account lives in another cell, by which members are shown with it (docs/adr/0085). */
export function* mirrorProject(project: MirroredProject): Work<void> {
  const { id, account_id, name, created_ms, is_deleted } = project;
  yield* rows(freeName, [account_id, name, id]);
  yield* rows(upsertMirrored, [id, account_id, name, created_ms, is_deleted ? created_ms : null]);
}
