import type { AccountLimits } from "../../../contract/accounts.ts";
import {
  CreateProject,
  type Project,
  type ProjectList,
  ProjectsQuery,
  UpdateProject,
} from "../../../contract/projects.ts";
import { cacheTimeText } from "../../core/answer/cache-time.ts";
import type { ConsoleAnswer } from "../../core/console-exchange.ts";
import { newId } from "../../core/ids.ts";
import { type Limits, NO_LIMITS } from "../../core/people/principal.ts";
import type { ProjectRecord } from "../../core/people/projects.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import { readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireAccounts, requireProject } from "../answer/scope.ts";
import { readBudget, readCacheTime } from "../read/read-key-fields.ts";
import { readModelLimits } from "../read/read-model-limits.ts";
import { readTagLimits } from "../read/read-tag-limits.ts";
import { showLimitsOf, showTime } from "../show/show.ts";
import { showUse } from "./budget-routes.ts";

/** Projects: groups of an account's keys with limits of their own (docs/design/tags-and-projects.md). */
export const projectRoutes = [
  route("GET /projects", "member", { query: ProjectsQuery, show: listProjects }),
  route("POST /projects", "member", { audit: "project.create", body: CreateProject, make: createProject }),
  route("GET /projects/{project}", "member", {
    show: async (call) => shown(call, await requireProject(call, projectId(call))),
  }),
  route("PATCH /projects/{project}", "member", { audit: "project.update", body: UpdateProject, handle: updateProject }),
  route("DELETE /projects/{project}", "member", { audit: "project.delete", handle: deleteProject }),
];

async function listProjects(call: ConsoleCall<unknown, ProjectsQuery>): Promise<ProjectList> {
  const account_id = await requireAccounts(call, call.query.account);
  const page = readPage(call.query);
  const found = await call.deps.accounts.listProjects(account_id, searchOf(call.query, page));
  return showPage(found, page, (project) => shown(call, project));
}

async function createProject(call: ConsoleCall<CreateProject>): Promise<Project> {
  const { account: owner, name, cache, ...limits } = call.body;
  const { accounts } = call.deps;
  const account = await requireAccount(call, owner);
  const draws = drawsOf(call);
  const id = newId("proj", draws.id);
  const project = await madeOnce(draws, {
    make: () =>
      accounts.createProject({
        id,
        account_id: account.id,
        name: name.trim(),
        limits: { ...NO_LIMITS, ...readLimitFields(limits) },
        cache_ms: readCacheTime(cache ?? null),
      }),
    findEarlier: () => accounts.findProject(id),
  });
  return shown(call, project);
}

async function updateProject(call: ConsoleCall<UpdateProject>): Promise<ConsoleAnswer> {
  const { id, account_id } = await requireProject(call, projectId(call));
  const { name, cache, ...limits } = call.body;
  const project = await call.deps.accounts.updateProject(id, {
    ...(name === undefined ? {} : { name: name.trim() }),
    limits: readLimitFields(limits),
    ...(cache === undefined ? {} : { cache_ms: readCacheTime(cache) }),
  });
  if (!project) throw notFound("project", id);
  await forgetKeys(call, account_id, id);
  return { status: 200, body: shown(call, project) };
}

/** The keys' records have the project's name and models. */
async function forgetKeys({ deps }: ConsoleCall, account_id: string, id: string): Promise<void> {
  if (!deps.keyChanged) return;
  for (const { project, id: key_id } of await deps.accounts.listKeys(account_id))
    if (project?.id === id) deps.keyChanged(key_id);
}

async function deleteProject(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { id } = await requireProject(call, projectId(call));
  if (!(await call.deps.accounts.deleteProject(id))) throw notFound("project", id);
  return { status: 200, body: { id, deleted: true } };
}

/** The limits that a body has; a limit that it lacks is absent. */
function readLimitFields({
  budget,
  model_limits,
  tag_limits,
  ...given
}: Omit<UpdateProject, "name" | "cache">): Partial<Limits> {
  return {
    ...given,
    ...(budget !== undefined && { budget: budget && readBudget(budget) }),
    ...(model_limits !== undefined && { model_limits: readModelLimits(model_limits) }),
    ...(tag_limits !== undefined && { tag_limits: readTagLimits(tag_limits) }),
  };
}

function projectId(call: ConsoleCall): string {
  return call.params.project ?? "";
}

function shown({ deps }: ConsoleCall, project: ProjectRecord): Project {
  const limits: AccountLimits = showLimitsOf(project.limits);
  return {
    id: project.id,
    account: project.account_id,
    name: project.name,
    created_at: showTime(project.created_ms),
    key_count: project.key_count,
    limits,
    ...(project.cache_ms !== null && { cache: cacheTimeText(project.cache_ms) }),
    use: project.use && showUse(project.use),
    currency: deps.configuration.currency,
  };
}
