import type { Configuration, Model, Route, Vendor, VendorKey, VendorLimits } from "../core/catalog/catalog.ts";

/** A possible way to answer a request: a route of a model, with its vendor. */
export interface Candidate {
  readonly model: Model;
  readonly route: Route;
  /** With one credential: that of `credential`, where the vendor has several. */
  readonly vendor: Vendor;
  /** Which of the vendor's several credentials this is; absent where it has one. */
  readonly credential?: CandidateCredential;
}

interface CandidateCredential {
  readonly name: string;
  /** Its share of the route's traffic, above 0 and at most 1. */
  readonly share: number;
  readonly limits?: VendorLimits;
}

/** Candidates of one model, any of which may be tried first. */
export type RouteGroup<Each extends Candidate = Candidate> = readonly Each[];

/**
 * The candidates of a request in the order in which they are tried: the model's routes, each next one drawn by weight,
 * then the routes of each fallback model in order. `random` yields numbers in [0, 1).
 */
export function candidatesOf(model: Model, configuration: Configuration, random: () => number): readonly Candidate[] {
  return drawOrder(routeGroupsOf(model, configuration), random);
}

/** The candidates of a request before an order is drawn: those of the model, then those of each fallback model. */
export function routeGroupsOf(model: Model, configuration: Configuration): RouteGroup[] {
  const groups = [routesOf(model, configuration)];
  for (const id of model.fallbacks) {
    const fallback = configuration.models.get(id);
    if (fallback !== undefined) groups.push(routesOf(fallback, configuration));
  }
  return groups;
}

function drawOrder<Each extends Candidate>(groups: readonly RouteGroup<Each>[], random: () => number): readonly Each[] {
  const [first] = groups;
  if (first !== undefined && groups.length === 1 && first.length < 2) return first;
  return groups.flatMap((each) => (each.length < 2 ? each : drawByWeight(each, random)));
}

function routesOf(model: Model, configuration: Configuration): Candidate[] {
  return model.routes.flatMap((route) => {
    const vendor = configuration.vendors.get(route.vendor);
    if (vendor === undefined) return [];
    return vendor.api_keys === undefined
      ? [{ model, route, vendor }]
      : apart(vendor, vendor.api_keys).map((each) => ({ model, route, ...each }));
  });
}

type WithCredential = Required<Pick<Candidate, "vendor" | "credential">>;

const known_apart = new WeakMap<Vendor, readonly WithCredential[]>();

/**
 * The vendor once for each of its credentials, as if it had no other: whatever is kept for an endpoint, such as its headers and tokens, is
 * then kept for each credential.
 */
function apart(vendor: Vendor, keys: readonly VendorKey[]): readonly WithCredential[] {
  const known = known_apart.get(vendor);
  if (known !== undefined) return known;
  const sum = keys.reduce((total, { weight }) => total + weight, 0);
  const made = keys.map(({ name, api_key, weight, limits }) => ({
    vendor: withKey(vendor, api_key),
    credential: { name, share: weight / sum, ...(limits !== undefined && { limits }) },
  }));
  known_apart.set(vendor, made);
  return made;
}

/** The vendor with this credential alone. */
export function withKey({ api_keys: _others, endpoints, ...vendor }: Vendor, api_key: string): Vendor {
  return { ...vendor, api_key, endpoints: endpoints.map((endpoint) => ({ ...endpoint })) };
}

/** A candidate's share among those that it is drawn from. */
export function weightOf({ route, credential }: Candidate): number {
  return credential === undefined ? route.weight : route.weight * credential.share;
}

/** One order of the candidates, each next one drawn by weight. */
export function drawByWeight<Each extends Candidate>(groups: RouteGroup<Each>, random: () => number): Each[] {
  const rest = [...groups];
  const drawn: Each[] = [];
  while (rest.length > 0) drawn.push(...rest.splice(drawOne(rest, random), 1));
  return drawn;
}

/** The index of a random candidate, drawn with the probability of its share of the weights. */
function drawOne(groups: RouteGroup, random: () => number): number {
  let point = random() * groups.reduce((sum, candidate) => sum + weightOf(candidate), 0);
  for (const [index, candidate] of groups.entries()) {
    point -= weightOf(candidate);
    if (point < 0) return index;
  }
  return groups.length - 1;
}
