/**
 * The software bill of materials of a release (CycloneDX): what npm says of the packages that are installed here, reduced to those of which
 * something is shipped. Its number and its time follow from what is in it and from the commit, so that the same sources make the same file.
 */

/** A package of which code is shipped. */
export interface Shipped {
  readonly name: string;
  readonly version: string;
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
}

interface Document {
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
}

/**
 * `from_npm` is what `npm sbom --sbom-format cyclonedx` has printed, of the project first and then of each folder with packages of its own. Throws where a shipped package is not in it: then what is installed is not
 * what was built from.
 */
export function billOfMaterials(from_npm: readonly string[], shipped: readonly Shipped[], time: Date): string {
  const documents = from_npm.map((text) => JSON.parse(text) as Document);
  const [document] = documents;
  if (document === undefined) throw new Error("npm has listed nothing");
  const root = document.metadata.component["bom-ref"];
  const found = new Map(
    documents
      .flatMap(({ components }) => components)
      .map((component) => [`${component.name}@${component.version}`, component]),
  );
  const components = new Map<string, Component>();
  for (const { name, version } of shipped) {
    const component = found.get(`${name}@${version}`);
    if (component === undefined)
      throw new Error(`${name}@${version} is shipped, and npm does not list it as installed`);
    components.set(component["bom-ref"], { ...component, properties: [] } as Component);
  }
  const refs = [...components.keys()].sort();
  const dependencies = documents
    .flatMap((each) => each.dependencies)
    .filter(({ ref }) => components.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => components.has(other)).sort() }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  const inside = {
    components: refs.map((ref) => components.get(ref)),
    // Everything is inside the product, also what only another package asked for.
    dependencies: [{ ref: root, dependsOn: refs }, ...dependencies],
  };
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(inside)).digest("hex");
  const metadata = {
    ...document.metadata,
    timestamp: time.toISOString(),
    component: { ...document.metadata.component, type: "application", name: "camino" },
  };
  return `${JSON.stringify({ ...document, serialNumber: uuidOf(digest), metadata, ...inside }, null, 2)}\n`;
}

/** A number in the form of UUID version 8 (RFC 9562), whose bits are the maker's choice. */
function uuidOf(hex: string): string {
  const part = (from: number, to: number): string => hex.slice(from, to);
  return `urn:uuid:${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
}

/** Packages of the bill that have none of the allowed licences, each as a line. */
export function strangeLicences(bill: string, allowed: readonly unknown[]): string[] {
  const { components } = JSON.parse(bill) as Document;
  return components.flatMap(({ name, version, licenses = [] }) => {
    const named = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? "none");
    const fits = named.length > 0 && named.every((licence) => allowed.includes(licence));
    return fits ? [] : [`${name} ${version}: ${named.join(", ") || "no licence"}`];
  });
}
