import { alternatives, type Member, type ObjectShape, type Shape } from "./shape.ts";

/** One value for each member, and each alternative of a member, that a declared type has. */
export interface Case {
  /** `ResponseCreateParamsBase.truncation = "auto"`. */
  readonly label: string;
  readonly member: string;
  readonly value: unknown;
  /** The least that has the value, and the same without it, or with another where the member is required. */
  readonly given: unknown;
  readonly without: unknown;
}

/**
 * Values that readers demand of members by name, where any value of the declared type would not do. A member that is
 * named with its type is always given.
 */
export type Samples = Readonly<Record<string, unknown>>;

type Place = (value: unknown) => unknown;

export function casesOf(shape: Shape, samples: Samples): readonly Case[] {
  const cases = new Map<string, Case>();
  const done = new Set<string>();
  const waiting: (readonly [Shape, Place])[] = [[shape, (value) => value]];
  for (const [next, place] of waiting)
    for (const one of alternatives(next)) {
      if (one.kind === "array") waiting.push([one.of, (value) => place([value])]);
      if (one.kind !== "object" || done.has(one.name)) continue;
      done.add(one.name);
      const least = leastOf(one, samples);
      for (const member of one.members()) {
        for (const found of casesOfMember(one, member, { least, place, samples })) cases.set(found.label, found);
        waiting.push([member.shape, (value) => place({ ...least, [member.name]: value })]);
      }
    }
  return [...cases.values()];
}

interface Holder {
  readonly least: Readonly<Record<string, unknown>>;
  readonly place: Place;
  readonly samples: Samples;
}

function casesOfMember(owner: ObjectShape, { name, is_optional, shape }: Member, holder: Holder): Case[] {
  const { least, place, samples } = holder;
  const kinds = kindsOf(shape);
  // What tells a type from others is tried with the type itself.
  if (!is_optional && kinds.length === 1 && kinds[0]?.kind === "literal") return [];
  return kinds.flatMap((kind, at): Case[] => {
    const value = sampleOf(kind, name, samples);
    const other = kinds[at === 0 ? 1 : 0];
    const { [name]: _, ...rest } = least;
    const instead = is_optional
      ? {}
      : { [name]: other === undefined ? another(value, kind) : sampleOf(other, name, samples) };
    if (Object.values(instead)[0] === null) return [];
    return [
      {
        label: `${owner.name}.${name} = ${nameOf(kind)}`,
        member: name,
        value,
        given: place({ ...least, [name]: value }),
        without: place({ ...rest, ...instead }),
      },
    ];
  });
}

/** The alternatives of a member; of an array, one array of each alternative of its elements. */
function kindsOf(shape: Shape): readonly Shape[] {
  return alternatives(shape).flatMap((kind): readonly Shape[] => {
    if (kind.kind === "boolean") return [true, false].map((value) => ({ kind: "literal", value }) as const);
    return kind.kind === "array" ? kindsOf(kind.of).map((of) => ({ kind: "array", of }) as const) : [kind];
  });
}

function nameOf(shape: Shape): string {
  if (shape.kind === "literal") return JSON.stringify(shape.value);
  if (shape.kind === "array") return `[${nameOf(shape.of)}]`;
  return shape.kind === "object" ? shape.name : shape.kind;
}

function leastOf(shape: ObjectShape, samples: Samples): Readonly<Record<string, unknown>> {
  const required = shape
    .members()
    .filter(({ name, is_optional }) => !is_optional || `${shape.name}.${name}` in samples);
  return Object.fromEntries(
    required.map(({ name, shape: of }) => [name, samples[`${shape.name}.${name}`] ?? sampleOf(of, name, samples)]),
  );
}

function sampleOf(shape: Shape, member: string, samples: Samples): unknown {
  const [first] = alternatives(shape);
  if (first === undefined) return null;
  const wanted = samples[member];
  if (wanted !== undefined && fits(wanted, first)) return wanted;
  switch (first.kind) {
    case "literal":
      return first.value;
    case "string":
      return `a ${member}`;
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [sampleOf(first.of, member, samples)];
    case "object":
      return leastOf(first, samples);
    default:
      return {};
  }
}

function fits(value: unknown, { kind }: Shape): boolean {
  if (kind === "array") return Array.isArray(value);
  if (kind === "object" || kind === "unknown") return typeof value === "object" && !Array.isArray(value);
  return kind === typeof value;
}

/** Another value of the same type; null where what is within the value is tried by itself. */
function another(value: unknown, { kind }: Shape): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return `${value}2`;
  if (kind === "array") return [];
  return kind === "unknown" ? { other: 1 } : null;
}
