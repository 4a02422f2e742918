import { type Budget, type Ceilings, type KeyRecord, NO_CEILINGS } from "../core/people/principal.ts";

/** The limits that the members of an account may set for a key (docs/rulings.md 151). */

/** A value above which members cannot go, and where an administrator set it. */
export interface Ceiling<Value> {
  readonly value: Value;
  readonly set_on: "key" | "account" | "configuration";
}

/** The ceilings of a key. Null: members may set what they like. */
export interface KeyCeilings {
  readonly models: Ceiling<readonly string[]> | null;
  readonly rpm: Ceiling<number> | null;
  readonly tpm: Ceiling<number> | null;
  readonly concurrent: Ceiling<number> | null;
  readonly budget: Ceiling<Budget> | null;
  readonly expires_ms: Ceiling<number> | null;
}

/**
 * The nearest value that an administrator has set: on the key, else on its account, else in the configuration. An account's
 * models and budget count beside the key's own, so they are no ceilings of it.
 */
export function ceilingsOf(
  { ceilings = NO_CEILINGS, account_limits }: Pick<KeyRecord, "ceilings" | "account_limits">,
  defaults: { readonly rpm: number; readonly concurrent: number },
): KeyCeilings {
  const rate = (name: "rpm" | "tpm" | "concurrent", configured: number | null): Ceiling<number> | null =>
    onKey(ceilings[name]) ?? on("account", account_limits?.[name] ?? null) ?? on("configuration", configured);
  return {
    models: onKey(ceilings.models),
    rpm: rate("rpm", defaults.rpm),
    tpm: rate("tpm", null),
    concurrent: rate("concurrent", defaults.concurrent),
    budget: onKey(ceilings.budget),
    expires_ms: onKey(ceilings.expires_ms),
  };
}

function onKey<Value>(value: Value | null): Ceiling<Value> | null {
  return on("key", value);
}

function on<Value>(set_on: Ceiling<Value>["set_on"], value: Value | null): Ceiling<Value> | null {
  return value === null ? null : { value, set_on };
}

/** The members of a key that have ceilings. */
export const CEILING_NAMES = ["models", "rpm", "tpm", "concurrent", "budget", "expires_ms"] as const;
export type CeilingName = (typeof CEILING_NAMES)[number];
type AskedKeyLimits = { readonly [Name in CeilingName]?: Ceilings[Name] };

/** The first member of a change that goes above its ceiling; null where none does. Null as a value means: no limit of its own. */
export function firstAbove(asked: AskedKeyLimits, ceilings: KeyCeilings): CeilingName | null {
  return CEILING_NAMES.find((name) => !isWithin(name, asked, ceilings)) ?? null;
}

function isWithin(name: CeilingName, asked: AskedKeyLimits, ceilings: KeyCeilings): boolean {
  switch (name) {
    case "models":
      return fits(asked.models, ceilings.models, (found, most) =>
        found.every((each) => most.some((m) => patternCovers(m, each))),
      );
    case "budget":
      return fits(
        asked.budget,
        ceilings.budget,
        (found, most) => found.window === most.window && found.amount_micro <= most.amount_micro,
      );
    default:
      return fits<number>(asked[name], ceilings[name], (found, most) => found <= most);
  }
}

function fits<Value>(
  found: Value | null | undefined,
  most: Ceiling<Value> | null,
  isBelow: (found: Value, most: Value) => boolean,
): boolean {
  return found === undefined || found === null || most === null || isBelow(found, most.value);
}

/**
 * Whether every model that the second pattern matches is matched by the first, where `*` stands for any text: its `*` may
 * stand for anything, so only a `*` of the first covers it.
 */
export function patternCovers(wide: string, narrow: string): boolean {
  return patternOf(wide).test(narrow.replaceAll("*", "\u{10ffff}"));
}

/** A pattern of model ids, in which `*` stands for any text. */
export function patternOf(models: string): RegExp {
  return new RegExp(`^${models.split(/\*+/).map(RegExp.escape).join(".*")}$`, "s");
}

/**
 * A member's change: where it takes a limit away, the administrator's comes back. The change has been found to be within the
 * ceilings.
 */
export function restoredToCeilings(asked: AskedKeyLimits, ceilings: Ceilings = NO_CEILINGS): AskedKeyLimits {
  const set = CEILING_NAMES.flatMap((name) => (asked[name] === null ? [[name, ceilings[name]] as const] : []));
  return { ...asked, ...Object.fromEntries(set) };
}

/** The ceilings after an administrator's change: what an administrator sets is both the limit and its ceiling. */
export function ceilingsAfter(asked: AskedKeyLimits, ceilings: Ceilings = NO_CEILINGS): Ceilings {
  const set = CEILING_NAMES.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]] as const]));
  return { ...ceilings, ...Object.fromEntries(set) };
}

/** A change of a key without the limits that the key has already: they are written back, and change no ceiling (docs/rulings.md 206). */
export function changesOf<Change extends AskedKeyLimits>(asked: Change, known: Required<AskedKeyLimits>): Change {
  const same = CEILING_NAMES.filter(
    (name) => (asked[name] ?? null) !== null && Bun.deepEquals(asked[name], known[name]),
  );
  const left = Object.entries(asked).filter(([name]) => !same.some((each) => each === name));
  return Object.fromEntries(left) as Change;
}
