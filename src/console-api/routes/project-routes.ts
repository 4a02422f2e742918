import type { AccountLimits } from "../../../contract/accounts.ts";
import type { Deleted } from "../../../contract/common.ts";
import {
  CreateProject,
  type Project,
  type ProjectList,
  ProjectsQuery,
  UpdateProject,
} from "../../../contract/projects.ts";
import { cacheTimeText } from "../../core/answer/cache-time.ts";
import { newId } from "../../core/ids.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import type { ProjectRecord } from "../../core/people/projects.ts";
import { forgetKeys } from "../answer/forget-keys.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import { readPage, searchOf, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireAccounts, requireProject } from "../answer/scope.ts";
import { readCacheTime } from "../read/read-key-fields.ts";
import { readLimitFields } from "../read/read-limits.ts";
import { showLimitsOf, showTime, showUse } from "../show/show.ts";

/** Projects: groups of an account's keys with limits of their own (docs/design/tags-and-projects.md). */
export const projectRoutes = [
  route("GET /projects", "member", { query: ProjectsQuery, show: listProjects }),
  route("POST /projects", "member", { audit: "project.create", body: CreateProject, make: createProject }),
  route("GET /projects/{project}", "member", { show: async (call) => shown(call, await requireProject(call)) }),
  route("PATCH /projects/{project}", "member", { audit: "project.update", body: UpdateProject, show: updateProject }),
  route("DELETE /projects/{project}", "member", { audit: "project.delete", show: deleteProject }),
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

async function updateProject(call: ConsoleCall<UpdateProject>): Promise<Project> {
  const { id, account_id } = await requireProject(call);
  const { name, cache, ...limits } = call.body;
  const project = await call.deps.accounts.updateProject(id, {
    ...(name === undefined ? {} : { name: name.trim() }),
    limits: readLimitFields(limits),
    ...(cache === undefined ? {} : { cache_ms: readCacheTime(cache) }),
  });
  if (!project) throw notFound("project", id);
  await forgetKeys(call, account_id, (key) => key.project?.id === id);
  return shown(call, project);
}

async function deleteProject(call: ConsoleCall): Promise<Deleted> {
  const { id } = await requireProject(call);
  if (!(await call.deps.accounts.deleteProject(id))) throw notFound("project", id);
  return { id, deleted: true };
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
