/**
 * A model's name as the simulator reads it: `NAME` or `NAME@KEY=VALUE&KEY=VALUE`, with an optional `sim/` before it.
 * Parameters tune a behaviour without a new model: `slow@ms=50`, `long@tokens=64`, `tools@fault=cut-mid`.
 */
export interface ModelName {
  /** The whole name as the client sent it: the answer's `model` repeats it, and counters are kept by it. */
  readonly full: string;
  readonly name: string;
  readonly params: Params;
}

/** The parameters after `@`. An absent or unreadable value gives the fallback. */
export class Params {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get empty(): boolean {
    return this.#values.size === 0;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** These parameters, with a model's presets for parameters that the name does not set. */
  withDefaults(defaults: Readonly<Record<string, string>>): Params {
    const given = Object.entries(defaults);
    return given.length === 0 ? this : new Params(new Map([...given, ...this.#values]));
  }

  text(key: string, fallback: string): string {
    return this.#values.get(key) ?? fallback;
  }

  /** A whole number of at least 0. */
  count(key: string, fallback: number): number {
    const value = Number(this.#values.get(key) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : fallback;
  }

  /** Any finite number. */
  decimal(key: string, fallback: number): number {
    const value = Number(this.#values.get(key) ?? Number.NaN);
    return Number.isFinite(value) ? value : fallback;
  }
}

const NO_PARAMS = new Params(new Map());

/** Reads a model name. Never fails: the table of models reports unknown names. */
export function parseModelName(full: string): ModelName {
  const bare = full.startsWith("sim/") ? full.slice(4) : full;
  const at = bare.indexOf("@");
  if (at < 0) return { full, name: bare, params: NO_PARAMS };
  return { full, name: bare.slice(0, at), params: new Params(new Map(new URLSearchParams(bare.slice(at + 1)))) };
}
