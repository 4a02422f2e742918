import { quoted, sectionOf, tableRows } from "./documented-errors.ts";

/** One field of a table in docs/api.md section 2. */
export interface DocumentedField {
  /** With dots between levels: `architecture.input_modalities`. */
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean`, `object`, `array`, `string[]`, `null`. */
  readonly types: readonly string[];
  /** The value that the rule says it always has. */
  readonly always: string | null;
}

/** The fields of a sub-section's table. */
export function documentedFields(section: string): DocumentedField[] {
  const heading = new RegExp(`^### ${section.replace(".", "\\.")} `, "m");
  return tableRows(sectionOf(heading)).flatMap(([names = "", types = "", rule = ""]) =>
    quoted(names).map((name) => ({
      name,
      types: types.split(" or ").map((type) => type.trim()),
      always: /^Always `([^`]+)`/.exec(rule)?.[1] ?? null,
    })),
  );
}

/** The differences between an answer and its table. `absent` names the fields that the answer rightly lacks. */
export function disagreements(
  fields: readonly DocumentedField[],
  answer: unknown,
  absent: readonly string[] = [],
): string[] {
  return fields.flatMap(({ name, types, always }) => {
    const value = memberAt(answer, name);
    if (absent.includes(name)) return value === undefined ? [] : [`${name} is there`];
    if (value === undefined) return [`${name} is missing`];
    if (!types.some((type) => isOfType(value, type))) return [`${name} is ${JSON.stringify(value)}, not ${types}`];
    return always === null || value === always ? [] : [`${name} is ${JSON.stringify(value)}, not ${always}`];
  });
}

function memberAt(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split(".")) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return found;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isSafeInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "string[]":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      throw new Error(`docs/api.md has a type that this test does not know: ${JSON.stringify(type)}`);
  }
}
