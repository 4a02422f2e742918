import { SQL } from "bun";

/** The databases of a world on PostgreSQL: one, or the directory and its cells. */
export interface Databases {
  readonly names: readonly string[];
  /** The names of all cells, the directory's among them; empty where there are none. */
  readonly cells: readonly string[];
  /** Where they are when each is reached at a port of its own, in the order of their names. */
  at(ports: readonly number[]): Addresses;
}

export interface Addresses {
  /** Of cells the directory's. */
  readonly database_url: string;
  /** What names the cells to a gateway; empty where there are none. */
  readonly cells_env: Readonly<Record<string, string>>;
}

const CELLS = ["north", "south"];

/** Makes the databases of a server. Each cell has a role of its own, which has no rights on the others: a statement that leaves its cell fails. */
export async function makeDatabases(port: number, has_cells: boolean): Promise<Databases> {
  const names = has_cells ? ["camino", ...CELLS] : ["camino"];
  await using admin = new SQL(`postgres://postgres@127.0.0.1:${port}/postgres`, { max: 1 });
  for (const name of names) {
    await admin.unsafe(`CREATE DATABASE ${name}`);
    if (has_cells) await giveToOwnRole(name, { admin, port });
  }
  const urlOf = (name: string, at: number): string =>
    `postgres://${has_cells ? roleOf(name) : "postgres"}@127.0.0.1:${at}/${name}`;
  return {
    names,
    cells: has_cells ? ["directory", ...CELLS] : [],
    at(ports) {
      const [database_url = "", ...cells] = names.map((name, at) => urlOf(name, ports[at] ?? port));
      const named = cells.map((url, at) => `${CELLS[at]}=${url}`);
      return { database_url, cells_env: named.length === 0 ? {} : { CAMINO_CELLS: named.join(" ") } };
    },
  };
}

async function giveToOwnRole(name: string, { admin, port }: { admin: SQL; port: number }): Promise<void> {
  const role = roleOf(name);
  await admin.unsafe(`CREATE ROLE ${role} LOGIN`);
  await admin.unsafe(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
  await admin.unsafe(`GRANT ALL ON DATABASE ${name} TO ${role}`);
  await using own = new SQL(`postgres://postgres@127.0.0.1:${port}/${name}`, { max: 1 });
  await own.unsafe(`GRANT ALL ON SCHEMA public TO ${role}`);
}

function roleOf(name: string): string {
  return `role_of_${name}`;
}
