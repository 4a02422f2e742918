import type { ProjectChange, ProjectRecord } from "../../core/people/projects.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import type { Asking } from "./asking.ts";
import type { Cell, Cells } from "./cells.ts";
import { ofProject } from "./found-in-cells.ts";

/** Changes of projects whose rows in the directory change with them. What the directory lacks because it was away comes with the next mention of the project. */

export async function updateProject(
  { cells, ask }: Asking<"updateProject">,
  project_id: string,
  change: ProjectChange,
): Promise<ProjectRecord | null> {
  const cell = await ofProject(cells, project_id);
  const project = await ask(cell, project_id, change);
  if (project !== null && change.name !== undefined) await mirror(cells, cell, project, false);
  return project;
}

export async function deleteProject({ cells, ask }: Asking<"deleteProject">, project_id: string): Promise<boolean> {
  const found = await cells.first((cell) => cell.store.accounts.findProject(project_id));
  const cell = found?.cell ?? cells.directory;
  const is_gone = await ask(cell, project_id);
  if (is_gone && found !== null) await mirror(cells, cell, found.found, true);
  return is_gone;
}

async function mirror(cells: Cells, cell: Cell, project: ProjectRecord, is_deleted: boolean): Promise<void> {
  if (cell === cells.directory) return;
  const { id, account_id, name, created_ms } = project;
  try {
    await cells.directory.store.users.mirrorProject({ id, account_id, name, created_ms, is_deleted });
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
  }
}
