import type { ConfigurationStore } from "../../core/catalog/configuration-elements.ts";
import type { VendorCredentialStore } from "../../core/catalog/vendor-credential-store.ts";
import type { StoreState } from "../../core/store/store-state.ts";
import { portOf, type RunMethod } from "../sql/port.ts";

/** The calls by which administrators read and change everything beside accounts. */
export interface AdministrationMethods extends VendorCredentialStore, ConfigurationStore {
  state(): Promise<StoreState>;
  secretFingerprint(fingerprint: number): Promise<number>;
}

export type AdministrationMethod = keyof AdministrationMethods;

const KINDS: Readonly<Record<AdministrationMethod, "read" | "write">> = {
  ...{ list: "read", revision: "read", put: "write", remove: "write", state: "read", secretFingerprint: "write" },
  ...{ listElements: "read", elementsRevision: "read", elementHistory: "read", changeElement: "write" },
};

export function isAdministrationWrite(method: AdministrationMethod): boolean {
  return KINDS[method] === "write";
}

export function administration(run: RunMethod<AdministrationMethod>): AdministrationMethods {
  return portOf(KINDS, run);
}

/** The store's ports for administrators' reads and changes. */
export function administrationPorts(run: RunMethod<AdministrationMethod>) {
  const { list, revision, put, remove, state, secretFingerprint, ...configuration } = administration(run);
  return { vendor_credentials: { list, revision, put, remove }, configuration, state, secretFingerprint };
}
