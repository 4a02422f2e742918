import { useMemo } from "react";
import type { NO_PROJECT as NO_PROJECT_OF_CONTRACT } from "../../../../contract/common.ts";
import type { Project } from "../../../../contract/projects.ts";
import { useApi } from "../../api/use-api.ts";

/** In filters: rows without a project. */
const NO_PROJECT = "none" satisfies typeof NO_PROJECT_OF_CONTRACT;
const NONE: readonly Project[] = [];
/** More than a person chooses from. */
const MOST = "500";

/** The projects of an account, by name; empty until they are loaded. */
export function useProjects(account: string | undefined): readonly Project[] {
  const { data } = useApi("GET /projects", { query: { ...(account === undefined ? {} : { account }), limit: MOST } });
  const projects = data?.data ?? NONE;
  return useMemo(() => projects.toSorted((one, other) => one.name.localeCompare(other.name)), [projects]);
}

/** The choices of a filter by project; empty where the account has no projects. */
export function projectOptions(projects: readonly Project[]): { value: string; label: string }[] {
  if (projects.length === 0) return [];
  return [
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
    { value: NO_PROJECT, label: "Without a project" },
  ];
}
