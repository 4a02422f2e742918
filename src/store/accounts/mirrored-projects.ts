import type { MirroredProject } from "../../core/people/users.ts";
import { sql } from "../sql/statement.ts";
import { rows, type Work } from "../sql/work.ts";

/** Another project that had the name before: its own cell has renamed or deleted it. */
const freeName = sql("UPDATE projects SET name = name || ' ' || id WHERE account_id = ? AND name = ? AND id <> ?");
const upsert = sql(
  `INSERT INTO projects (id, account_id, name, created_ms, deleted_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, deleted_ms = excluded.deleted_ms`,
);

/** The directory's row of a project whose account lives in another cell, by which members are shown with it (docs/adr/0085). */
export function* mirrorProject(project: MirroredProject): Work<void> {
  const { id, account_id, name, created_ms, is_deleted } = project;
  yield* rows(freeName, [account_id, name, id]);
  yield* rows(upsert, [id, account_id, name, created_ms, is_deleted ? created_ms : null]);
}
