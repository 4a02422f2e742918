import type { StoreState, VendorCredentialStore } from "../../core/ports.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { state } from "./state.ts";
import { list, put, remove, revision } from "./vendor-credentials.ts";

/** What administrators read and change beside accounts. */
export interface AdministrationMethods extends VendorCredentialStore {
  state(): Promise<StoreState>;
}

export type AdministrationMethod = keyof AdministrationMethods;

export const ADMINISTRATION_WORKS: WorksOf<AdministrationMethods> = { list, revision, put, remove, state };

export function isAdministrationWrite(method: AdministrationMethod): boolean {
  return method === "put" || method === "remove";
}

export function administration(run: RunMethod<AdministrationMethod>): AdministrationMethods {
  return portOf(ADMINISTRATION_WORKS, run);
}
