/** A value, or the promise of one. */
export type Later<Value> = Value | Promise<Value>;

/**
 * Calls `next` with a value: at once where the value is no promise, so that a synchronous call makes none. Throws where `next` throws at
 * once.
 */
export function then<Value, Next>(value: Later<Value>, next: (value: Value) => Later<Next>): Later<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
