import { vendorOf } from "../names/model-id.ts";
import { parseWithNumberTexts } from "../reading/json-source.ts";
import type { PublishedCatalog } from "./published-catalog.ts";
import { isLiteLlm, readLiteLlm } from "./read-litellm.ts";
import { isModelsDev, readModelsDev } from "./read-models-dev.ts";
import { writeConfiguration } from "./write-configuration.ts";

/** The error for a list of models that cannot be read; its message says which format was expected. */
export class PublishedCatalogError extends Error {
  override readonly name = "PublishedCatalogError";
}

const EXPECTED =
  "expected models.dev's api.json (or one of its vendors), or LiteLLM's model_prices_and_context_window.json";

/**
 * Reads a published list of models and prices: models.dev's or LiteLLM's shape, recognised by content. `vendors`
 * limits the result to these vendor ids. Throws a PublishedCatalogError for any other text.
 */
export function readPublishedCatalog(text: string, vendors: readonly string[] | null = null): PublishedCatalog {
  const document = parse(text);
  const catalog = isLiteLlm(document) ? readLiteLlm(document) : isModelsDev(document) ? readModelsDev(document) : null;
  if (catalog === null) throw new PublishedCatalogError(`This is no list of models that Camino knows: ${EXPECTED}.`);
  if (vendors === null) return catalog;
  return {
    vendors: catalog.vendors.filter(({ id }) => vendors.includes(id)),
    models: catalog.models.filter(({ id }) => vendors.includes(vendorOf(id))),
    left_out: catalog.left_out,
  };
}

function parse(text: string): unknown {
  try {
    return parseWithNumberTexts(text);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new PublishedCatalogError(`This is not JSON (${why}): ${EXPECTED}.`, { cause: thrown });
  }
}

/** The result of `camino catalog import`: a configuration file, and everything that was left out of it. */
export interface ImportedConfiguration {
  readonly yaml: string;
  readonly vendor_count: number;
  readonly model_count: number;
  readonly left_out: readonly string[];
}

/** A published list of models and prices as the text of a configuration file. Throws a PublishedCatalogError. */
export function importCatalog(text: string, vendors: readonly string[] | null = null): ImportedConfiguration {
  const catalog = readPublishedCatalog(text, vendors);
  return {
    yaml: writeConfiguration(catalog),
    vendor_count: catalog.vendors.length,
    model_count: catalog.models.length,
    left_out: catalog.left_out,
  };
}
