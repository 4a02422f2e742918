import type { Configuration } from "../../core/catalog/catalog.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import { vendorOf } from "../names/model-id.ts";
import { BUNDLED_VENDORS, type BundledVendor, bundledVendor } from "./bundled-models.ts";

/** A part of the bundled catalogue counts as old when its figures are older than this. */
export const OLD_AFTER_DAYS = 120;

/** A vendor's part of the bundled catalogue, and how old it is. */
export interface CatalogPart {
  readonly vendor: string;
  readonly model_count: number;
  /** The day of the newest source, `2026-11-20`. */
  readonly as_of: string;
  /** Whole days since `as_of`; 0 when the clock is behind that day. */
  readonly age_days: number;
  readonly is_old: boolean;
  readonly source: string;
}

/** Every part of the bundled catalogue, by vendor id. */
export function catalogParts(now_ms: number): CatalogPart[] {
  return BUNDLED_VENDORS.flatMap((vendor) => partOf(vendor, now_ms));
}

/**
 * The parts whose prices a configuration charges: a vendor's part is in use when the file leaves a model of that vendor
 * at its bundled price. Prices are compared as objects: a price of the file is never the bundled object, even at equal
 * figures.
 */
export function catalogPartsInUse({ models }: Configuration, now_ms: number): CatalogPart[] {
  const vendors = new Set<string>();
  for (const { id, prices } of models.values()) {
    const vendor = vendorOf(id);
    if (!vendors.has(vendor) && bundledVendor(vendor)?.models.get(id)?.prices === prices) vendors.add(vendor);
  }
  return [...vendors].flatMap((vendor) => partOf(vendor, now_ms));
}

function partOf(vendor: string, now_ms: number): CatalogPart[] {
  const bundled = bundledVendor(vendor);
  return bundled === null ? [] : [describePart(vendor, bundled, now_ms)];
}

function describePart(vendor: string, { origin, models }: BundledVendor, now_ms: number): CatalogPart {
  const { as_of, as_of_ms, source } = origin;
  const age_days = Math.max(0, Math.floor((now_ms - as_of_ms) / MS_PER_DAY));
  return { vendor, model_count: models.size, as_of, age_days, is_old: age_days > OLD_AFTER_DAYS, source };
}

/** A warning that names the old parts among `parts`; null when no part is old. */
export function describeOldParts(parts: readonly CatalogPart[]): string | null {
  const old = parts.filter(({ is_old }) => is_old);
  if (old.length === 0) return null;
  const names = old.map(({ vendor, as_of, age_days }) => `${vendor} (of ${as_of}, ${age_days} days old)`).join(", ");
  return (
    `The bundled prices of ${names} are more than ${OLD_AFTER_DAYS} days old. Compare them with a published list ` +
    `(camino catalog diff), or update Camino.`
  );
}
