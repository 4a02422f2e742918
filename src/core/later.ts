export type Later<Value> = Value | Promise<Value>;

/**
 * Calls `next` with a value: at once where the value is no promise, so that a synchronous call makes none. Throws where `next` throws at
 * once.
 */
export function then<Value, Next>(value: Later<Value>, next: (value: Value) => Later<Next>): Later<Next> {
  return isLater(value) ? value.then(next) : next(value);
}

/** Whether a value is still to come: what is there already is not awaited, so that a call whose parts are all there makes no promise. */
export function isLater<Value>(value: Later<Value>): value is Promise<Value> {
  return value instanceof Promise;
}
