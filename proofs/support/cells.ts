import { SQL } from "bun";
import { newId } from "../../src/core/ids.ts";
import type { Store } from "../../src/core/store/ports.ts";
import { readCells } from "../../src/main/settings/cells.ts";
import { openStore } from "../../src/store/open-store.ts";
import { freshDatabase } from "./postgres.ts";

/** Where a gateway's accounts live. */
export interface Addresses {
  /** The database, or of cells the directory. */
  readonly database_url: string;
  /** What names the cells to a gateway; empty where there are none. */
  readonly cells_env: Readonly<Record<string, string>>;
}

/** One database, or a directory without accounts of its own and two cells. */
export async function freshPlaces(kind: "postgres" | "cells"): Promise<Addresses> {
  if (kind === "postgres") return { database_url: await freshDatabase(), cells_env: {} };
  const [database_url, north, south] = [
    await ownedDatabase("directory"),
    await ownedDatabase("north"),
    await ownedDatabase("south"),
  ];
  const weights = { CAMINO_CELL_WEIGHTS: "directory=0" };
  return { database_url, cells_env: { CAMINO_CELLS: `north=${north} south=${south}`, ...weights } };
}

/** A new database with a role of its own, which has no rights on others: a statement that leaves its cell fails. */
export async function ownedDatabase(name: string): Promise<string> {
  const url = new URL(await freshDatabase());
  const database = url.pathname.slice(1);
  const role = `${name}_${database}`;
  await using admin = new SQL(url.href, { max: 1 });
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'cell'`);
  await admin.unsafe(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
  await admin.unsafe(`GRANT ALL ON DATABASE ${database} TO ${role}`);
  await admin.unsafe(`GRANT ALL ON SCHEMA public TO ${role}`);
  url.username = role;
  url.password = "cell";
  return url.href;
}

/** Opens the books as a gateway would. */
export async function openPlaces({ database_url, cells_env }: Addresses): Promise<Store> {
  const cells = readCells(cells_env, database_url);
  return await openStore({ url: database_url, node_id: newId("node"), ...(cells !== null && { cells }) });
}

/** What the audit finds in the database, or in every cell and of where accounts live. */
export async function problemsIn(places: Addresses): Promise<readonly string[]> {
  const store = await openPlaces(places);
  const { problems } = await store.audit();
  await store.close();
  return problems;
}
