import type { Configuration, Model, Route, Vendor } from "../core/catalog.ts";

/** One possible way to answer a request: a model's route with its vendor. */
export interface Candidate {
  readonly model: Model;
  readonly route: Route;
  readonly vendor: Vendor;
}

/**
 * The ways to answer a request, in the order in which they are tried: the model's routes, the first drawn by weight and
 * the rest behind it drawn the same way, then those of each fallback model in order. `random` yields numbers in [0, 1).
 */
export function candidatesOf(model: Model, configuration: Configuration, random: () => number): Candidate[] {
  const candidates = routesInOrder(model, configuration, random);
  for (const id of model.fallbacks) {
    const fallback = configuration.models.get(id);
    if (fallback !== undefined) candidates.push(...routesInOrder(fallback, configuration, random));
  }
  return candidates;
}

function routesInOrder(model: Model, configuration: Configuration, random: () => number): Candidate[] {
  const routes = model.routes.length > 1 ? drawByWeight(model.routes, random) : model.routes;
  const candidates: Candidate[] = [];
  for (const route of routes) {
    const vendor = configuration.vendors.get(route.vendor);
    if (vendor !== undefined) candidates.push({ model, route, vendor });
  }
  return candidates;
}

function drawByWeight(routes: readonly Route[], random: () => number): Route[] {
  const rest = [...routes];
  const drawn: Route[] = [];
  while (rest.length > 0) {
    drawn.push(...rest.splice(drawOne(rest, random), 1));
  }
  return drawn;
}

/** The index of one route, each as likely as its share of the weights. */
function drawOne(routes: readonly Route[], random: () => number): number {
  let point = random() * routes.reduce((sum, route) => sum + route.weight, 0);
  for (const [index, route] of routes.entries()) {
    point -= route.weight;
    if (point < 0) return index;
  }
  return routes.length - 1;
}
