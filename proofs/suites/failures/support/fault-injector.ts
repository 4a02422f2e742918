/** The error that is thrown in place of a call. */
export class InjectedFault extends Error {}

/**
 * Counts the calls that pass through wrapped objects, and throws in place of one of them. What a wrapped method returns
 * is wrapped too where its name is among `nested`, also behind a promise.
 */
export class FaultInjector {
  /** The names of the calls so far. */
  calls: string[] = [];
  /** The name of the call that was replaced by an error; null before that. */
  fired: string | null = null;
  #fault_at = Number.POSITIVE_INFINITY;
  readonly #wrapped = new WeakMap<object, object>();

  /** From now on the call of this number, from 0, throws. */
  arm(fault_at: number): void {
    this.calls = [];
    this.fired = null;
    this.#fault_at = fault_at;
  }

  disarm(): void {
    this.#fault_at = Number.POSITIVE_INFINITY;
  }

  /** A call that may be replaced by an error. */
  pass(name: string): void {
    this.calls.push(name);
    if (this.calls.length - 1 !== this.#fault_at) return;
    this.fired = name;
    throw new InjectedFault(`injected in place of ${name}`);
  }

  /**
   * The object with every method of it watched, and, where `depth` is above 0, the objects that its methods return and its
   * members hold.
   */
  wrap<Target extends object>(name: string, target: Target, depth = 0): Target {
    const known = this.#wrapped.get(target);
    if (known !== undefined) return known as Target;
    const proxy = new Proxy(target, {
      get: (_, member) => {
        const value = Reflect.get(target, member) as unknown;
        if (typeof member === "symbol") return value;
        const full_name = `${name}.${member}`;
        if (typeof value === "function") {
          return (...args: unknown[]) => {
            this.pass(full_name);
            return this.#result(full_name, value.apply(target, args), depth);
          };
        }
        return this.#result(full_name, value, depth);
      },
      set: (_, member, value) => Reflect.set(target, member, value),
    });
    this.#wrapped.set(target, proxy);
    return proxy;
  }

  /** Watches a method of all objects of a class. */
  wrapMethod(owner: { readonly name: string; readonly prototype: object }, method: string): void {
    const original = Reflect.get(owner.prototype, method) as (...args: unknown[]) => unknown;
    const pass = (): void => this.pass(`${owner.name}.${method}`);
    Reflect.set(owner.prototype, method, function wrapped(this: unknown, ...args: unknown[]) {
      pass();
      return original.apply(this, args);
    });
  }

  #result(name: string, value: unknown, depth: number): unknown {
    if (depth === 0 || typeof value !== "object" || value === null) return value;
    if (value instanceof Promise) return value.then((later: unknown) => this.#result(name, later, depth));
    if (ArrayBuffer.isView(value) || Array.isArray(value) || Object.getPrototypeOf(value) === null) return value;
    return this.wrap(name, value, depth - 1);
  }
}
