/** A value that is there, or that will be. */
export type Later<Value> = Value | Promise<Value>;

/**
 * Goes on with a value as soon as it is there: at once where it is there already, so that a call that waits for nothing makes no promise.
 * Throws where `next` throws at once.
 */
export function then<Value, Next>(value: Later<Value>, next: (value: Value) => Later<Next>): Later<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
