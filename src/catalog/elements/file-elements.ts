import type { ElementKind, ElementName, ElementValue } from "../../core/catalog/configuration-elements.ts";
import { isObject } from "../../core/json.ts";
import { nameKey } from "../configuration/element-layer.ts";
import { valueAt } from "../configuration/element-value.ts";
import type { ConfigurationInput } from "../configuration/load-configuration.ts";
import { expandText } from "../reading/expand-environment.ts";
import { openDocument, type YamlPlace } from "../reading/place.ts";
import { readEntries } from "../reading/read-fields.ts";

/** The elements of a configuration file itself, as values. They are read when a person asks: requests never need them. */

export interface FileElement extends ElementName {
  readonly value: ElementValue;
}

const SECTIONS = { vendor: "vendors", model: "models", alias: "aliases" } as const satisfies Partial<
  Record<ElementKind, string>
>;

type FileInput = Pick<ConfigurationInput, "file_text" | "file_name" | "env">;

/** The elements that a file names, as they are written, by `nameKey`. Credentials and headers are masked. */
export function fileElements(input: FileInput): ReadonlyMap<string, FileElement> {
  return elementsOf(input, (place) => valueAt(place));
}

/**
 * An element of the file as the database may have it: without credentials and headers, which stay with the file (docs/adr/0042), and with
 * the values of the variables that it names elsewhere. Null where the file does not name it.
 */
export function fileElementToKeep(input: FileInput, name: ElementName): ElementValue | null {
  const expand = (text: string): string => expandText(text, input.env).text;
  const found = elementsOf(input, (place) => valueAt(place, expand)).get(nameKey(name));
  if (found === undefined || name.kind !== "vendor" || !isObject(found.value)) return found?.value ?? null;
  const { api_key: _key, aws: _aws, google_service_account: _account, headers: _headers, ...kept } = found.value;
  return kept;
}

function elementsOf(input: FileInput, readValue: (place: YamlPlace) => unknown): ReadonlyMap<string, FileElement> {
  const { root } = openDocument(input.file_text ?? "", input.file_name, input.env);
  const sections = new Map(readEntries(root, "a map") ?? []);
  const found = new Map<string, FileElement>();
  const add = (name: ElementName, place: YamlPlace): void => {
    // A name without a value is an element without any field.
    found.set(nameKey(name), { ...name, value: (readValue(atRoot(place)) ?? {}) as ElementValue });
  };
  for (const [kind, section] of Object.entries(SECTIONS) as [keyof typeof SECTIONS, string][]) {
    const place = sections.get(section);
    for (const [id, inside] of place === undefined ? [] : (readEntries(place, "a map") ?? []))
      add({ kind, id }, inside);
  }
  const limits = sections.get("limits");
  if (limits !== undefined) add({ kind: "limits", id: "default" }, limits);
  return found;
}

/** The place with an empty path, so that the paths inside it begin there. */
function atRoot(place: YamlPlace): YamlPlace {
  return { ...place, path: "" };
}
