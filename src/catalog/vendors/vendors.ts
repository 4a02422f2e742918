import { HOSTING_VENDORS } from "./vendors-hosting.ts";
import { LOCAL_VENDORS } from "./vendors-local.ts";
import { MODEL_VENDORS } from "./vendors-models.ts";
import type { VendorRow } from "./vendor-row.ts";

/** Every vendor that Camino knows. A new one is a row in one of the three tables, and nothing else. */
export const VENDOR_ROWS: readonly VendorRow[] = [...MODEL_VENDORS, ...HOSTING_VENDORS, ...LOCAL_VENDORS];

const BY_ID: ReadonlyMap<string, VendorRow> = new Map(VENDOR_ROWS.map((row) => [row.id, row]));

/** What is known of a vendor of that id; null when it is not in the table. */
export function findVendorRow(id: string): VendorRow | null {
  return BY_ID.get(id) ?? null;
}
