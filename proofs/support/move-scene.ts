import { SQL } from "bun";
import type { CellSettings } from "../../src/core/catalog/cell-settings.ts";
import { newId } from "../../src/core/ids.ts";
import type { Store } from "../../src/core/store/ports.ts";
import { CellTools } from "../../src/store/cells/move/cell-tools.ts";
import { ACCOUNT_TABLES } from "../../src/store/cells/move/tables.ts";
import { openStore } from "../../src/store/open-store.ts";
import { freshDatabase } from "./postgres.ts";

/** A directory and two cells, with what moves accounts between them. */
export interface MoveScene extends AsyncDisposable {
  readonly url: string;
  readonly cells: { readonly name: string; readonly url: string; readonly weight: number }[];
  readonly raw: Readonly<Record<string, SQL>>;
  readonly settings: CellSettings;
  readonly node_id: string;
  readonly tools: CellTools;
  readonly store: Store;
}

export async function moveScene(url: string): Promise<MoveScene> {
  const cells = [
    { name: "north", url: await freshDatabase(), weight: 1 },
    { name: "south", url: await freshDatabase(), weight: 1 },
  ];
  const settings = { directory_weight: 1, cells };
  const node_id = newId("node");
  const store = await openStore({ url, node_id, cells: settings });
  const raw = Object.fromEntries(
    [{ name: "directory", url }, ...cells].map((each) => [each.name, new SQL(each.url, { max: 1 })]),
  );
  const tools = new CellTools(url, settings, 0);
  return {
    ...{ url, cells, settings, node_id, store, raw, tools },
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await store.close();
      await Promise.all(Object.values(raw).map((each) => each.close()));
    },
  };
}

/** A value as a text; what is null or has bytes is no other text. */
function textOf(value: unknown): string | null {
  if (value instanceof Uint8Array) return `bytes ${value.toHex()}`;
  return value === null ? null : String(value);
}

/** All rows of an account as texts, without what each cell numbers by itself. */
export async function rowsOf(database: SQL, account_id: string): Promise<Record<string, string[]>> {
  const among: Readonly<Record<string, string>> = {
    key_tags: "key_id IN (SELECT id FROM keys WHERE account_id = $1)",
    traffic_waiting: "request_id IN (SELECT id FROM requests WHERE account_id = $1)",
    key_state: "key_account_id = $1",
    deliveries: "id IN (SELECT delivery_id FROM usage_positions WHERE account_id = $1)",
  };
  const rows: Record<string, string[]> = {};
  for (const { name } of ACCOUNT_TABLES) {
    const found: Record<string, unknown>[] = await database.unsafe(
      `SELECT t.* FROM ${name} AS t WHERE ${among[name] ?? "account_id = $1"}`,
      [account_id],
    );
    rows[name] = found
      .map(({ seq, endpoint_no, model_no, price_no, attempt_no, route_no, ...row }) =>
        JSON.stringify(row, (name, value: unknown) => (name === "" ? value : textOf(value))),
      )
      .toSorted();
  }
  return rows;
}
