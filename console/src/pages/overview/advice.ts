import type { PricedModel } from "../../../../contract/prices.ts";
import type { VendorSummary } from "../../../../contract/vendors.ts";

/** A vendor that refuses the credential which the gateway sends, or whose stored credential cannot be used. */
interface FailingCredential {
  readonly vendor: string;
  readonly name: string;
  readonly why: string;
}

interface AdvisedVendor extends Pick<VendorSummary, "id" | "name"> {
  readonly credential: { readonly stored: { readonly problem: string | null } | null };
  readonly health: { readonly last_error: { readonly status: number | null } | null } | null;
}

/** The vendors whose credential fails, each with the reason as the end of a sentence. */
export function failingCredentials(vendors: readonly AdvisedVendor[]): FailingCredential[] {
  return vendors.flatMap(({ id, name, credential, health }) => {
    const status = health?.last_error?.status ?? null;
    const refused = status === 401 || status === 403 ? `its latest error is ${status}` : null;
    const why = credential.stored?.problem ? "the stored one cannot be used" : refused;
    return why === null ? [] : [{ vendor: id, name, why }];
  });
}

interface Report {
  readonly groups: readonly { readonly id: string | null }[];
  readonly group_count: number;
  readonly before: { readonly requests: number };
}

/**
 * The gateway's own models that nobody has called in the time of a report by model, in which the report has all models. None of a gateway
 * that has no requests from before that time: it may be younger. The models that come with Camino are not meant: nobody has asked for each.
 */
export function idleModels(
  models: readonly Pick<PricedModel, "model" | "source">[],
  { groups, before, group_count }: Report,
): string[] {
  if (before.requests === 0 || group_count > groups.length) return [];
  const called = new Set(groups.map(({ id }) => id));
  return models.flatMap(({ model, source }) => (source === "own" && !called.has(model) ? [model] : []));
}
