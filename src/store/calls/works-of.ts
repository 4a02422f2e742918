import { methodsOf, type WorksOf } from "../sql/port.ts";

/** The works of a port's methods, of the modules that have them: each exports a work under its method's name. */
export function worksOf<Port>(kinds: Readonly<Record<keyof Port, unknown>>, modules: WorksOf<Port>): WorksOf<Port> {
  return Object.fromEntries(methodsOf(kinds).map((method) => [method, modules[method]])) as WorksOf<Port>;
}
