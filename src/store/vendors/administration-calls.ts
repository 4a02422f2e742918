import type { ConfigurationStore } from "../../core/catalog/configuration-elements.ts";
import type { VendorCredentialStore } from "../../core/catalog/vendor-credential-store.ts";
import type { StoreState } from "../../core/store/ports.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { changeElement, elementHistory, elementsRevision, listElements } from "./configuration-versions.ts";
import { state } from "./state.ts";
import { list, put, remove, revision } from "./vendor-credentials.ts";

/** The calls by which administrators read and change everything beside accounts. */
export interface AdministrationMethods extends VendorCredentialStore, ConfigurationStore {
  state(): Promise<StoreState>;
}

export type AdministrationMethod = keyof AdministrationMethods;

export const ADMINISTRATION_WORKS: WorksOf<AdministrationMethods> = {
  ...{ list, revision, put, remove, state },
  ...{ listElements, elementsRevision, elementHistory, changeElement },
};

export function isAdministrationWrite(method: AdministrationMethod): boolean {
  return method === "put" || method === "remove" || method === "changeElement";
}

export function administration(run: RunMethod<AdministrationMethod>): AdministrationMethods {
  return portOf(ADMINISTRATION_WORKS, run);
}

/** The store's ports for administrators' reads and changes. */
export function administrationPorts(run: RunMethod<AdministrationMethod>) {
  const { list, revision, put, remove, state: readState, ...configuration } = administration(run);
  return { vendor_credentials: { list, revision, put, remove }, configuration, state: readState };
}
