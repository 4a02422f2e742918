import type { StoreState, VendorCredentialStore } from "../../core/ports.ts";
import type { Work } from "../sql/work.ts";
import { state } from "./state.ts";
import { list, put, remove, revision } from "./vendor-credentials.ts";

/** What administrators read and change beside accounts. */
export interface AdministrationMethods extends VendorCredentialStore {
  state(): Promise<StoreState>;
}

export type AdministrationMethod = keyof AdministrationMethods;
export type AdministrationArgs<M extends AdministrationMethod> = Parameters<AdministrationMethods[M]>;
type AdministrationWorks = {
  readonly [M in AdministrationMethod]: (
    ...args: AdministrationArgs<M>
  ) => Work<Awaited<ReturnType<AdministrationMethods[M]>>>;
};

/** Every method as a work, once for both drivers. */
export const ADMINISTRATION_WORKS: AdministrationWorks = { list, revision, put, remove, state };

export function isAdministrationWrite(method: AdministrationMethod): boolean {
  return method === "put" || method === "remove";
}

/** How a driver runs a method, wherever that is. */
export type RunAdministrationMethod = <M extends AdministrationMethod>(
  method: M,
  args: AdministrationArgs<M>,
) => ReturnType<AdministrationMethods[M]>;

export function credentialStore(run: RunAdministrationMethod): VendorCredentialStore {
  return {
    list: (...args) => run("list", args),
    revision: (...args) => run("revision", args),
    put: (...args) => run("put", args),
    remove: (...args) => run("remove", args),
  };
}
