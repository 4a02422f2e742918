import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

/** Members of a schema whose value is a map of schemas by name, a schema, or a list of schemas. */
const BY_NAME: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
const ONE: ReadonlySet<string> = new Set(["items", "additionalProperties"]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);

/**
 * The named schemas with a name for each object inside them too: client generators make a class of each object, and the
 * names that they invent clash. A name is made from the object's place (`ChatMessage` + `content` + `text`, the type of
 * the part); equal objects share a name.
 */
export function nameInlineSchemas(schemas: Readonly<Record<string, JsonValue>>): JsonObject {
  return new Naming(schemas).all();
}

class Naming {
  readonly #given: Readonly<Record<string, JsonValue>>;
  /** The named schemas, in the given order, then the schemas of objects inside them. */
  readonly #named: Record<string, JsonValue>;
  /** The names of inner objects, by their JSON text. */
  readonly #names = new Map<string, string>();

  constructor(given: Readonly<Record<string, JsonValue>>) {
    this.#given = given;
    this.#named = { ...given };
  }

  all(): JsonObject {
    for (const [name, schema] of Object.entries(this.#given))
      this.#named[name] = isObject(schema) ? this.#inside(schema, name) : schema;
    return this.#named;
  }

  /** The members of a schema that has a name or needs none. */
  #inside(schema: JsonObject, name: string): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#member(key, value, name)]));
  }

  #member(key: string, value: JsonValue, name: string): JsonValue {
    if (ONE.has(key)) return this.#place(value, name);
    if (LISTS.has(key) && Array.isArray(value))
      return value.map((one) => this.#place(one, name + variantOf(one, value)));
    if (!BY_NAME.has(key) || !isObject(value)) return value;
    const members = Object.entries(value).map(([member, one]) => [member, this.#place(one, name + pascal(member))]);
    return Object.fromEntries(members) as JsonObject;
  }

  /** An inner schema: an object becomes a reference to `name`, or to the name of an equal object. */
  #place(schema: JsonValue, name: string): JsonValue {
    if (!isObject(schema)) return schema;
    if (!isObject(schema.properties)) return this.#inside(schema, name);
    // The member's own description stays with the member, as other members may share the object.
    const { description, ...object } = schema;
    const said = description === undefined ? {} : { description };
    const text = JSON.stringify(object);
    const known = this.#names.get(text);
    if (known !== undefined) return { ...reference(known), ...said };
    const free = this.#free(name);
    this.#names.set(text, free);
    // The name is reserved before inner objects get theirs.
    this.#named[free] = object;
    this.#named[free] = this.#inside(object, free);
    return { ...reference(free), ...said };
  }

  #free(name: string): string {
    let free = name;
    for (let count = 2; free in this.#named; count += 1) free = name + count;
    return free;
  }
}

function reference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * The word that distinguishes an alternative: its type or role, else its position. Empty where no other alternative is an
 * object.
 */
function variantOf(schema: JsonValue, among: readonly JsonValue[]): string {
  const objects = among.filter((one) => isObject(one) && isObject(one.properties));
  if (objects.length < 2 || !isObject(schema) || !isObject(schema.properties)) return "";
  for (const key of ["type", "role", "object"]) {
    const member = schema.properties[key];
    const value = isObject(member) ? (member.const ?? (Array.isArray(member.enum) ? member.enum[0] : null)) : null;
    if (typeof value === "string") return pascal(value);
  }
  return `Form${objects.indexOf(schema) + 1}`;
}

function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}
