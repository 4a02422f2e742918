import { ElementChange } from "../../contract/configuration.ts";
import type { VendorOffer, VendorOffers } from "../../contract/offers.ts";
import type { CommonOptions } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { CliFailure } from "./failure.ts";
import { callGateway, type GatewayOptions } from "./gateway-client.ts";

export interface OfferOptions extends CommonOptions, GatewayOptions {
  readonly offer?: string[];
  readonly yes?: true;
}

/**
 * Offers models of a vendor's list as elements of the configuration, each by its best proposal; returns the elements. Throws a
 * CliFailure before anything is changed where a name is not in the list, or no price is known.
 */
export async function offerModels(
  deps: CliDeps,
  options: OfferOptions,
  { vendor, data }: VendorOffers,
  names: readonly string[],
): Promise<ElementChange[]> {
  const chosen = names.map((name) => requireOffer(vendor, data, name));
  const made: ElementChange[] = [];
  for (const { model, proposals } of chosen) {
    const value = proposals[0]?.element ?? {};
    const preview = { method: "POST", path: ["configuration", "preview"], answer: ElementChange } as const;
    const asked = { kind: "model", id: model, action: "put", value };
    const { version, problems } = await callGateway(deps, options, { ...preview, body: asked });
    if (problems.length > 0) {
      throw new CliFailure(problems.map(({ message }) => message).join("\n"), { code: "invalid_configuration" });
    }
    const path = ["configuration", "elements", "model", model];
    made.push(
      await callGateway(deps, options, { method: "PUT", path, body: { value, version }, answer: ElementChange }),
    );
  }
  return made;
}

/** The offer of a name. Throws a CliFailure where it cannot be made as it is. */
export function requireOffer(vendor: string, offers: readonly VendorOffer[], name: string): VendorOffer {
  const offer = offers.find(({ upstream_model, model }) => upstream_model === name || model === name);
  if (offer === undefined) throw offerFailure(`The list of ${vendor} has no model '${name}'.`);
  const [offered_as] = offer.offered_as;
  if (offered_as !== undefined) throw offerFailure(`${name} is offered already, as ${offered_as}.`);
  if (offer.proposals[0]?.element.price !== undefined) return offer;
  const how = `camino config set model ${offer.model} '{ price: { input: 3.00, output: 15.00 } }'`;
  throw offerFailure(`No price of ${name} is known: give a list of prices (--list), or write one with ${how}.`);
}

function offerFailure(message: string): CliFailure {
  return new CliFailure(message, { code: "cannot_offer" });
}
