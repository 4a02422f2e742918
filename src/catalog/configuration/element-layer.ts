import type { ElementKind, ElementName, ElementValue } from "../../core/catalog/configuration-elements.ts";
import type { Environment } from "../../core/environment.ts";
import { nodeOf, type YamlPlace, type YamlSource } from "../reading/place.ts";
import type { Problem } from "../reading/problem.ts";

/** Elements of the database as the file's readers read them: places without lines, each with a list of problems of its own. */

/** How messages call the document that an element stands in. */
export const CONSOLE_DOCUMENT = "console";

const SECTIONS: Readonly<Record<ElementKind, string>> = {
  vendor: "vendors",
  model: "models",
  alias: "aliases",
  limits: "limits",
};

/** The elements that are laid over the file. */
export interface ElementLayer {
  readonly vendors: ReadonlyMap<string, YamlPlace>;
  readonly models: ReadonlyMap<string, YamlPlace>;
  readonly aliases: ReadonlyMap<string, YamlPlace>;
  readonly limits: YamlPlace | null;
  /** Models that are not offered at all, because their element in the database cannot be used and nothing else may take its place. */
  readonly withheld: ReadonlySet<string>;
  /** The vendors for which the console has a credential. */
  readonly credentialed: ReadonlySet<string>;
}

export interface GivenElement extends ElementName {
  readonly value: ElementValue;
}

/** An element's path in the file: `models.acme/swift-1`. */
export function pathOf({ kind, id }: ElementName): string {
  return kind === "limits" ? SECTIONS.limits : `${SECTIONS[kind]}.${id}`;
}

/** The place of an element, whose source collects the element's own problems. */
export function placeOf(element: GivenElement, env: Environment): YamlPlace {
  const problems: Problem[] = [];
  const source: YamlSource = {
    ...{ file: CONSOLE_DOCUMENT, env, problems, layer: "console" },
    lineOf: () => 0,
    resolve: (node) => node,
  };
  return { source, path: pathOf(element), line: 0, node: nodeOf(element.value) };
}

/** The text by which maps know an element. */
export function nameKey({ kind, id }: ElementName): string {
  return `${kind} ${id}`;
}
