import type { Work } from "./work.ts";

/** Every method of a port as a work, once for both drivers. */
export type WorksOf<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Work<Result>
    : never;
};

/** How a driver runs a method, wherever that is. Resolves with the result of the method's work. */
export type RunMethod<Method> = (method: Method, args: readonly unknown[]) => Promise<unknown>;

/**
 * A port whose methods a driver runs by their names. It knows their names and kinds alone: their works are loaded where they run, which for
 * the embedded database is in its own threads.
 */
export function portOf<Port>(kinds: Readonly<Record<keyof Port, unknown>>, run: RunMethod<keyof Port>): Port {
  const calls = methodsOf(kinds).map((method) => [method, (...args: readonly unknown[]) => run(method, args)] as const);
  return Object.fromEntries(calls) as Port;
}

export function methodsOf<Works extends object>(works: Works): (keyof Works)[] {
  return Object.keys(works) as (keyof Works)[];
}

/** A method's work, from arguments that have travelled: the port saw to it that their types are the method's. */
export function workOf<Method extends PropertyKey>(
  works: { readonly [M in Method]: (...args: never[]) => Work<unknown> },
  method: Method,
  args: readonly unknown[],
): Work<unknown> {
  return (works[method] as (...args: readonly unknown[]) => Work<unknown>)(...args);
}
