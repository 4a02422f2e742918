import type { ConfigurationStore } from "../../core/catalog/configuration-elements.ts";
import type { VendorCredentialStore } from "../../core/catalog/vendor-credential-store.ts";
import type { StoreState } from "../../core/store/ports.ts";
import { secretFingerprint } from "../sql/marks.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { changeElement, elementHistory, elementsRevision, listElements } from "./configuration-versions.ts";
import { state } from "./state.ts";
import { list, put, remove, revision } from "./vendor-credentials.ts";

/** The calls by which administrators read and change everything beside accounts. */
export interface AdministrationMethods extends VendorCredentialStore, ConfigurationStore {
  state(): Promise<StoreState>;
  secretFingerprint(fingerprint: number): Promise<number>;
}

export type AdministrationMethod = keyof AdministrationMethods;

export const ADMINISTRATION_WORKS: WorksOf<AdministrationMethods> = {
  ...{ list, revision, put, remove, state, secretFingerprint },
  ...{ listElements, elementsRevision, elementHistory, changeElement },
};

const WRITES: ReadonlySet<AdministrationMethod> = new Set<AdministrationMethod>([
  "put",
  "remove",
  "changeElement",
  "secretFingerprint",
]);

export function isAdministrationWrite(method: AdministrationMethod): boolean {
  return WRITES.has(method);
}

export function administration(run: RunMethod<AdministrationMethod>): AdministrationMethods {
  return portOf(ADMINISTRATION_WORKS, run);
}

/** The store's ports for administrators' reads and changes. */
export function administrationPorts(run: RunMethod<AdministrationMethod>) {
  const { list, revision, put, remove, state: readState, ...rest } = administration(run);
  const { secretFingerprint: fingerprintOf, ...configuration } = rest;
  return {
    vendor_credentials: { list, revision, put, remove },
    configuration,
    state: readState,
    secretFingerprint: fingerprintOf,
  };
}
