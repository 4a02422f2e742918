import { join } from "node:path";
import { SQL } from "bun";
import { newId } from "../../src/core/ids.ts";
import { openPostgres } from "../../src/store/postgres/open-postgres.ts";

/** A Citus cluster for tests: the address of a coordinator's database, as a user that may make roles. Null where there is none. */
export const CITUS_URL = process.env.CAMINO_TEST_CITUS_URL ?? null;

const FORMS = join(import.meta.dir, "../../deploy/postgres/cell-on-citus.sql");

/** Makes a cell's tables in a database or schema, in the forms that Citus takes. */
export async function makeCellTables(url: string): Promise<void> {
  const store = await openPostgres({ url, node_id: newId("node") });
  await store.close();
  await using sql = new SQL(url, { max: 1 });
  await sql.unsafe(await Bun.file(FORMS).text());
}

/** What Camino knows a cluster by, in a database that is in none. */
export async function pretendCitus(url: string, group: number): Promise<void> {
  await using sql = new SQL(url, { max: 1 });
  await sql.unsafe("CREATE FUNCTION citus_version() RETURNS text LANGUAGE sql AS $$ SELECT 'none'::text $$");
  await sql.unsafe("CREATE TABLE pg_dist_local_group (groupid int)");
  await sql.unsafe(`INSERT INTO pg_dist_local_group VALUES (${group})`);
}

/** A new cell in a cluster: a schema of its own, whose owner has no rights on others, on one of the workers. */
export async function cellOnCitus(coordinator_url: string): Promise<string> {
  const name = `cell_${newId("node").slice(-8).toLowerCase()}`;
  await using admin = new SQL(coordinator_url, { max: 1 });
  await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  await admin.unsafe(`CREATE SCHEMA ${name} AUTHORIZATION ${name}`);
  await admin.unsafe(`ALTER ROLE ${name} SET search_path = ${name}`);
  for (const setting of ["citus.enable_unsafe_triggers", "citus.allow_nested_distributed_execution"])
    await admin.unsafe(`ALTER ROLE ${name} SET ${setting} = on`);
  const url = new URL(coordinator_url);
  url.username = name;
  url.password = name;
  await makeCellTables(url.href);
  await admin.unsafe(`SELECT citus_schema_distribute('${name}')`);
  return url.href;
}
