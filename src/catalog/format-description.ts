import type { ConfigurationDescription, RouteDescription, VendorDescription } from "./describe-configuration.ts";

/** A configuration's description as people read it in a terminal. */
export function formatDescription(description: ConfigurationDescription): string {
  const { currency, models, vendors, not_enabled, routed } = description;
  const sections = [
    `${plural(models.chat, "chat model")} and ${plural(models.decision, "decision model")}, prices in ${currency}.`,
    limitsLine(description),
    section("Vendors", vendors.map(vendorRow), "none: no vendor is configured and no vendor's variable is set"),
    section("Routes", routed.map(routeRow), null),
    section(
      "Known vendors that are not enabled",
      not_enabled.map(({ id, name, missing }) => [id, name, `set ${missing}`]),
      null,
    ),
  ];
  return `${sections.filter((text) => text !== null).join("\n\n")}\n`;
}

function limitsLine({ limits }: ConfigurationDescription): string {
  const { rpm, concurrent } = limits.default_key;
  return `A body may have ${limits.body_bytes} bytes; a key has ${rpm} requests a minute and ${concurrent} at once unless it says otherwise.`;
}

function vendorRow(vendor: VendorDescription): string[] {
  const addresses = new Map<string, string[]>();
  for (const { protocol, base_url } of vendor.endpoints) {
    addresses.set(base_url, [...(addresses.get(base_url) ?? []), protocol]);
  }
  const where = [...addresses].map(([base_url, protocols]) => `${base_url} (${protocols.join(", ")})`).join(", ");
  const credential = vendor.has_credential ? "with credential" : "without credential";
  const headers = vendor.header_names.length > 0 ? `, headers ${vendor.header_names.join(", ")}` : "";
  return [vendor.id, vendor.name, plural(vendor.model_count, "model"), `${where}, ${credential}${headers}`];
}

function routeRow({ model, routes, fallbacks, decide_with }: RouteDescription): string[] {
  const ways = routes.map(({ vendor, upstream_model, weight }) => `${vendor} as ${upstream_model}, weight ${weight}`);
  const engine = decide_with === null ? [] : [`decided with ${decide_with}`];
  const then = fallbacks.length === 0 ? [] : [`else ${fallbacks.join(", ")}`];
  return [model, [...ways, ...engine, ...then].join("; ")];
}

/** A heading with rows in aligned columns; `none` stands for no rows, or the section is left out. */
function section(heading: string, rows: readonly (readonly string[])[], none: string | null): string | null {
  if (rows.length === 0) return none === null ? null : `${heading}: ${none}`;
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`);
  return [heading, ...lines].join("\n");
}

function plural(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
