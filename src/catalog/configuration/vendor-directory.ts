import type { Model, Vendor } from "../../core/catalog/catalog.ts";
import type { Environment } from "../../core/environment.ts";
import { vendorOfEnvironment, vendorOfRow } from "../reading/read-vendor.ts";
import { findVendorRow, VENDOR_ROWS } from "../vendors/vendors.ts";

/**
 * A usable vendor; or the variable that a known vendor lacks; or `reported`: its mistakes are reported; or null:
 * unknown.
 */
export type FoundVendor = Vendor | { readonly missing: string } | "reported" | null;

/**
 * The vendors that a configuration can use: vendors that its file names, and known vendors that the environment
 * enables.
 */
export class VendorDirectory {
  readonly #named: ReadonlyMap<string, Vendor | null>;
  readonly #of_environment: ReadonlyMap<string, Vendor>;
  readonly #catalog: "bundled" | "none";
  readonly #env: Environment;
  readonly #credentialed: ReadonlySet<string>;

  /**
   * `named` holds null for a vendor of the file that cannot be used. `credentialed`: known vendors that a credential of the console
   * enables, to which models of the database may have routes.
   */
  constructor(
    named: ReadonlyMap<string, Vendor | null>,
    catalog: "bundled" | "none",
    env: Environment,
    credentialed: ReadonlySet<string> = new Set(),
  ) {
    this.#named = named;
    this.#credentialed = credentialed;
    this.#catalog = catalog;
    this.#env = env;
    const enabled = new Map<string, Vendor>();
    for (const row of VENDOR_ROWS) {
      const vendor = named.has(row.id) ? null : vendorOfEnvironment(row, env);
      if (vendor !== null && !("missing" in vendor)) enabled.set(row.id, vendor);
    }
    this.#of_environment = enabled;
  }

  isNamed(id: string): boolean {
    return this.#named.has(id);
  }

  /** The vendor with the given id; null when the id is unknown. */
  find(id: string): FoundVendor {
    const named = this.#named.get(id);
    if (named !== undefined) return named ?? "reported";
    const enabled = this.#of_environment.get(id);
    if (enabled !== undefined) return enabled;
    const row = findVendorRow(id);
    if (row === null) return null;
    return this.#credentialed.has(id)
      ? vendorOfRow(row, row.endpoints, { api_key: null })
      : vendorOfEnvironment(row, this.#env);
  }

  /** The id of every vendor that routes can use. */
  ids(): string[] {
    return [...this.#named.keys(), ...this.#of_environment.keys()];
  }

  /** The vendors whose bundled models are offered without being named. */
  enabledByCatalog(): string[] {
    return this.#catalog === "bundled" ? this.ids() : [];
  }

  /** The vendors of the configuration: without the bundled catalogue, only vendors that the file names or routes to. */
  used(models: Iterable<Model>): Map<string, Vendor> {
    const used = new Map<string, Vendor>();
    for (const [id, vendor] of this.#named) if (vendor !== null) used.set(id, vendor);
    if (this.#catalog === "bundled") for (const [id, vendor] of this.#of_environment) used.set(id, vendor);
    for (const { routes } of models) {
      for (const { vendor: id } of routes) {
        const vendor = this.#of_environment.get(id);
        if (vendor !== undefined) used.set(id, vendor);
      }
    }
    return used;
  }
}
