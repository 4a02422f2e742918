import { ACCOUNT_ROLES, type AccountRole, roleMay } from "../../../contract/permissions.ts";
import { invalidRequest } from "../../core/errors.ts";
import type { ProjectRecord, ProjectStore } from "../../core/people/projects.ts";

/** The project of an account that a body names in `project`, by id or name. Throws a 400 where the account has no such project. */
export async function readProject(
  accounts: Pick<ProjectStore, "findProject">,
  account_id: string,
  name: string,
): Promise<ProjectRecord> {
  const project = await accounts.findProject(name, account_id);
  if (project?.account_id === account_id) return project;
  const message = `'project' is '${name}', and the account has no project of this id or name.`;
  throw invalidRequest(message, "project");
}

/** Throws a 400 where a member whose role makes no keys is given a project for new keys. */
export function requireKeyMaker(role: AccountRole, project: string): void {
  if (makesKeys(role)) return;
  const makers = ACCOUNT_ROLES.filter(makesKeys).join(", ");
  const message = `'project' is '${project}', which is for the keys that the member creates, and the role '${role}' creates none; allowed: no 'project', or one of the roles ${makers}.`;
  throw invalidRequest(message, "project");
}

/** Whether a role makes keys, so that a project for them means something. */
export function makesKeys(role: AccountRole): boolean {
  return roleMay(role, "keys:write");
}
