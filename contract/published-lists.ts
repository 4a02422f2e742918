/**
 * Public lists of models and prices as people have them, in a file: models.dev's `api.json` and LiteLLM's
 * `model_prices_and_context_window.json`. A list of all vendors is too large for one call, so whoever has the file cuts it
 * down to one vendor; the gateway reads the figures.
 */

type JsonObject = Readonly<Record<string, unknown>>;

/** The part of a list for one vendor. */
export interface ListPart {
  /** The vendor's name in the list. */
  readonly name: string;
  readonly model_count: number;
  /** The part as a list of the same form. */
  readonly entries: JsonObject;
}

/** The parts of a list by vendor, in the list's order; null where the text is no such list. */
export function partsOfList(text: string): ListPart[] | null {
  const document = parse(text);
  if (!isObject(document)) return null;
  const parts = providersOf(document) ?? entriesOf(document);
  return parts.length === 0 ? null : parts;
}

/** Parts as the text of one list. */
export function listOfParts(parts: readonly ListPart[]): string {
  return JSON.stringify(Object.assign({}, ...parts.map(({ entries }) => entries)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** models.dev: an object of vendors with their models, or one vendor. */
function providersOf(document: JsonObject): ListPart[] | null {
  const { id, models } = document;
  const is_one = typeof id === "string" && isObject(models);
  const providers: [string, unknown][] = is_one ? [[id, document]] : Object.entries(document);
  const parts = providers.flatMap(([name, provider]) => {
    if (!isObject(provider) || !isObject(provider.models)) return [];
    return [{ name, model_count: Object.keys(provider.models).length, entries: { [name]: provider } }];
  });
  return parts.length === 0 ? null : parts;
}

/** LiteLLM: an object of models, each with its vendor's name. */
function entriesOf(document: JsonObject): ListPart[] {
  const by_vendor = new Map<string, [string, unknown][]>();
  for (const [name, entry] of Object.entries(document)) {
    const provider = isObject(entry) ? entry.litellm_provider : null;
    if (typeof provider !== "string" || name === "sample_spec") continue;
    const known = by_vendor.get(provider);
    if (known === undefined) by_vendor.set(provider, [[name, entry]]);
    else known.push([name, entry]);
  }
  return [...by_vendor].map(([name, entries]) => ({
    name,
    model_count: entries.length,
    entries: Object.fromEntries(entries),
  }));
}
