import type { Column } from "../../kit/data-table.tsx";

/** A column with the project for the keys of a member or of an invited person. */
export function projectColumn<Row extends { readonly project: { readonly name: string } | null }>(): Column<Row> {
  return {
    key: "project",
    header: "Default project",
    cell: ({ project }) =>
      project === null ? (
        <span className="text-ink-soft">no project</span>
      ) : (
        <span className="break-words">{project.name}</span>
      ),
  };
}
