import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { nameInlineSchemas } from "./name-inline-schemas.ts";

/** A schema with a name in the document, and descriptions of its members for people. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: object;
  /** The schema that the document shows, where it says more than the schema that requests are checked with. */
  readonly written?: object;
  /** Descriptions of the top-level members, in place of their schemas' own. */
  readonly descriptions?: Readonly<Record<string, string>>;
}

/**
 * The document's named schemas. TypeBox schemas are plain JSON Schema and keep the schema objects that they are built
 * from, so a named schema inside another is recognised by object identity, and written as a `$ref`.
 */
export class Components {
  readonly #names = new Map<object, string>();
  readonly #schemas: readonly NamedSchema[];

  constructor(schemas: readonly NamedSchema[]) {
    this.#schemas = schemas;
    for (const { name, schema } of schemas) this.#names.set(schema, name);
  }

  /** A schema as the document shows it: a reference when it has a name, else a copy with references inside. */
  place(schema: object): JsonObject {
    const name = this.#names.get(schema);
    return name === undefined ? this.#copy(schema) : { $ref: `#/components/schemas/${name}` };
  }

  /** All schemas by name, written out: the named schemas, and the objects inside them. */
  written(): JsonObject {
    const given = this.#schemas.map(({ name, schema, written = schema, descriptions }) => [
      name,
      describeMembers(this.#copy(written), descriptions),
    ]);
    return nameInlineSchemas(Object.fromEntries(given));
  }

  #copy(schema: object): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#value(value)]));
  }

  #value(value: unknown): JsonValue {
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (isObject(value)) return this.place(value);
    return value as JsonValue;
  }
}

function describeMembers(schema: JsonObject, descriptions: Readonly<Record<string, string>> = {}): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const described = Object.entries(properties).map(([key, member]) => {
    const description = descriptions[key];
    return [key, isObject(member) && description !== undefined ? { ...member, description } : member];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
