import type { Configuration, Model, Route, Vendor } from "../core/catalog/catalog.ts";

/** A possible way to answer a request: a route of a model, with its vendor. */
export interface Candidate {
  readonly model: Model;
  readonly route: Route;
  readonly vendor: Vendor;
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

/** Draws the order for one request. */
export function drawOrder<Each extends Candidate>(
  groups: readonly RouteGroup<Each>[],
  random: () => number,
): readonly Each[] {
  const [first] = groups;
  if (first !== undefined && groups.length === 1 && first.length < 2) return first;
  return groups.flatMap((each) => (each.length < 2 ? each : drawByWeight(each, random)));
}

function routesOf(model: Model, configuration: Configuration): Candidate[] {
  return model.routes.flatMap((route) => {
    const vendor = configuration.vendors.get(route.vendor);
    return vendor === undefined ? [] : [{ model, route, vendor }];
  });
}

function drawByWeight<Each extends Candidate>(groups: RouteGroup<Each>, random: () => number): Each[] {
  const rest = [...groups];
  const drawn: Each[] = [];
  while (rest.length > 0) drawn.push(...rest.splice(drawOne(rest, random), 1));
  return drawn;
}

/** The index of a random candidate, drawn with the probability of its share of the weights. */
function drawOne(groups: RouteGroup, random: () => number): number {
  let point = random() * groups.reduce((sum, { route }) => sum + route.weight, 0);
  for (const [index, { route }] of groups.entries()) {
    point -= route.weight;
    if (point < 0) return index;
  }
  return groups.length - 1;
}
