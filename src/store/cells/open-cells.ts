import type { CellSettings } from "../../core/catalog/cell-settings.ts";
import { DIRECTORY } from "../../core/store/cells.ts";
import type { Store } from "../../core/store/ports.ts";
import { openPostgres } from "../postgres/open-postgres.ts";
import { Cells } from "./cells.ts";
import { OpeningCell, type OpenOptions } from "./opening-cell.ts";
import { storeInCells } from "./store-in-cells.ts";

/**
 * Opens the directory and all cells side by side. Without the directory there is no gateway; a cell that cannot be opened is tried again and again, and
 * until then its accounts are refused with a StoreUnavailable (docs/rulings.md 241).
 */
export async function openCells(
  options: OpenOptions,
  { directory_weight, cells: given }: CellSettings,
): Promise<Store> {
  let cells: Cells | null = null;
  const isSound = async (store: Store): Promise<string | null> => {
    const fingerprint = cells?.fingerprint ?? null;
    const is_own = fingerprint === null || (await store.secretFingerprint(fingerprint)) === fingerprint;
    return is_own ? null : "its keys were made with another secret than the gateway's";
  };
  const others = given.map((address) => new OpeningCell(address, options, isSound));
  const opening = Promise.all(others.map((cell) => cell.open()));
  const directory = await openPostgres({ ...options, as_cell: DIRECTORY }).catch(async (thrown: unknown) => {
    await opening;
    await Promise.all(others.map((cell) => cell.close()));
    throw thrown;
  });
  await opening;
  cells = new Cells(directory, others, directory_weight);
  const store = storeInCells(cells);
  return {
    ...store,
    async close() {
      await Promise.all([directory.close(), ...others.map((cell) => cell.close())]);
    },
  };
}
