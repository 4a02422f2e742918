import type { Migration } from "./migrations.ts";

/**
 * The project that a member's keys go into where nothing else is chosen, and that an invitation names for them (docs/adr/0056). A program that
 * does not know it makes keys without a project, and accepts such an invitation without it. A project that is deleted stays named in these
 * columns: whoever reads them passes it over.
 */
export const projectsOfMembersMigration: Migration = {
  version: 30,
  name: "projects of members",
  compatible_from: 16,
  statements: (dialect) => {
    const text = dialect === "sqlite" ? "TEXT" : 'TEXT COLLATE "C"';
    return ["memberships", "links"].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN project_id ${text} REFERENCES projects (id)`,
    );
  },
};
