import type { ElementKind } from "../../core/catalog/configuration-elements.ts";
import { type ElementLayer, type GivenElement, nameKey, placeOf } from "../configuration/element-layer.ts";
import { type ConfigurationInput, type LoadedConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import type { YamlPlace } from "../reading/place.ts";
import { ConfigurationError, type Problem } from "../reading/problem.ts";

/** A configuration with the elements of the database, and those that could not be used with their problems, by `nameKey`. */
export interface Layered {
  readonly loaded: LoadedConfiguration;
  readonly left_out: ReadonlyMap<string, readonly Problem[]>;
}

/** What else decides how a configuration is read, apart from its elements. */
export interface Beside {
  /** Models that are not offered, whatever the file and the catalogue say. */
  readonly withheld: ReadonlySet<string>;
  /** The vendors for which the console has a credential. */
  readonly credentialed: ReadonlySet<string>;
}

/**
 * Lays elements over the file. Those that do not fit are left out with their problems, and the rest is read again without them: no
 * content of the database stops a gateway whose file is right. A model of theirs is withheld, so that nobody is billed at a price
 * that an administrator has replaced; a vendor, an alias or limits count as the file has them. Throws a ConfigurationError where
 * the file by itself is wrong.
 */
export function layOver(
  input: ConfigurationInput,
  elements: readonly GivenElement[],
  credentialed: ReadonlySet<string>,
): Layered {
  const left_out = new Map<string, readonly Problem[]>();
  const withheld = new Set<string>();
  let rest = elements;
  for (;;) {
    const judged = judgeElements(input, rest, { withheld, credentialed });
    if (judged.problems.length === 0 && judged.loaded !== null) return { loaded: judged.loaded, left_out };
    if (judged.of_elements.size === 0 && withheld.size > 0) {
      // The file refers to a model that was withheld: then the file's own counts.
      withheld.clear();
      continue;
    }
    if (rest.length === 0) throw new ConfigurationError(judged.problems);
    const wrong = judged.of_elements.size > 0 ? judged.of_elements : blamed(input, rest, judged.problems);
    for (const [key, problems] of wrong) left_out.set(key, problems);
    for (const { kind, id } of rest) if (kind === "model" && left_out.has(nameKey({ kind, id }))) withheld.add(id);
    rest = rest.filter((element) => !left_out.has(nameKey(element)));
  }
}

export interface Judged {
  readonly loaded: LoadedConfiguration | null;
  /** All problems, those of the file included. */
  readonly problems: readonly Problem[];
  /** The problems of elements alone, by `nameKey`. */
  readonly of_elements: ReadonlyMap<string, readonly Problem[]>;
}

/** Reads the file and these elements as one configuration. */
export function judgeElements(input: ConfigurationInput, elements: readonly GivenElement[], beside: Beside): Judged {
  const places = elements.map((element) => [element, placeOf(element, input.env)] as const);
  const placesOf = (kind: ElementKind): Map<string, YamlPlace> =>
    new Map(places.flatMap(([element, place]) => (element.kind === kind ? [[element.id, place]] : [])));
  const layer: ElementLayer = {
    vendors: placesOf("vendor"),
    models: placesOf("model"),
    aliases: placesOf("alias"),
    limits: [...placesOf("limits").values()][0] ?? null,
    ...beside,
  };
  const { loaded, problems } = tryLoad({ ...input, elements: layer });
  const wrong = places.filter(([, place]) => place.source.problems.length > 0);
  return {
    loaded,
    problems: [...problems, ...wrong.flatMap(([, place]) => place.source.problems)],
    of_elements: new Map(wrong.map(([element, place]) => [nameKey(element), place.source.problems])),
  };
}

/**
 * The elements that are left out where only the file has problems with them: those in place of something that the file or the catalogue
 * has by itself, or all where there are none.
 */
function blamed(input: ConfigurationInput, elements: readonly GivenElement[], problems: readonly Problem[]) {
  const { elements: _elements, ...alone } = input;
  const { loaded } = tryLoad(alone);
  const { vendors, models } = loaded?.configuration ?? { vendors: new Map(), models: new Map() };
  const replacing = elements.filter(({ kind, id }) => (kind === "vendor" ? vendors.has(id) : models.has(id)));
  return new Map((replacing.length > 0 ? replacing : elements).map((element) => [nameKey(element), problems]));
}
