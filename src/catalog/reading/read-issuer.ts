import { findVendorRow, VENDOR_ROWS } from "../vendors/vendors.ts";
import { type Place, report } from "./place.ts";
import { readText } from "./read-scalar.ts";
import { suggest } from "./suggest.ts";

/**
 * Whose signatures and encrypted reasoning a vendor gives (docs/rulings.md 192): the id of a known vendor, or of one of
 * `ids`. The issuer of a known vendor's own row counts in its place. Null where nothing is said, or, with the problem
 * reported, where nobody has that id.
 */
export function readIssuer(place: Place | null, ids: readonly string[]): string | null {
  const name = readText(place);
  if (place === null || name === null) return null;
  const known = [...VENDOR_ROWS.map(({ id }) => id), ...ids];
  if (known.includes(name)) return findVendorRow(name)?.issuer ?? name;
  const meant = suggest(name, known);
  const hint = meant === null ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
  const allowed = "the id of the vendor whose signatures these are, a known one or one of this file";
  return report(place, allowed, `the unknown vendor ${JSON.stringify(name)}${hint}`);
}
