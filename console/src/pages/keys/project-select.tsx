import { Select } from "../../kit/input.tsx";
import type { useProjects } from "./use-projects.ts";

export function ProjectSelect({
  projects,
  value,
  error,
  help,
  onChange,
}: {
  projects: ReturnType<typeof useProjects>;
  value: string;
  error?: string | null;
  help?: string;
  onChange: (id: string) => void;
}) {
  return (
    <Select
      label="Project"
      options={[{ value: "", label: "No project" }, ...projects.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      {...(error == null ? {} : { error })}
      {...(help === undefined ? {} : { help })}
      onChange={onChange}
    />
  );
}
