import type { VendorRow } from "./vendor-row.ts";
import { HOSTING_VENDORS } from "./vendors-hosting.ts";
import { LOCAL_VENDORS } from "./vendors-local.ts";
import { MODEL_VENDORS } from "./vendors-models.ts";

/** Every vendor that Camino knows. To add a vendor, add a row to one of the three tables. */
export const VENDOR_ROWS: readonly VendorRow[] = [...MODEL_VENDORS, ...HOSTING_VENDORS, ...LOCAL_VENDORS];

const BY_ID: ReadonlyMap<string, VendorRow> = new Map(VENDOR_ROWS.map((row) => [row.id, row]));

/** The row of the vendor with the given id; null when the table has no such vendor. */
export function findVendorRow(id: string): VendorRow | null {
  return BY_ID.get(id) ?? null;
}
