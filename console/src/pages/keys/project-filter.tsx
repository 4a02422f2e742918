import { FilterSelect } from "../../kit/filter-bar.tsx";
import { projectOptions, useProjects } from "./use-projects.ts";

/** A filter by one of an account's projects; nothing where it has none. */
export function ProjectFilter({ account }: { account: string }) {
  const projects = useProjects(account);
  if (projects.length === 0) return null;
  return <FilterSelect name="project" label="Project" options={projectOptions(projects)} all="All projects" />;
}
