import Type, { type Static } from "typebox";
import { orNull } from "./common.ts";
import { ModelKind, Unlisted } from "./models.ts";
import { Protocol, RouteHealth } from "./vendors.ts";

/** How requests are routed: each model's routes and fallbacks. */

export const ModelRoute = Type.Object({
  vendor: Type.String(),
  vendor_name: Type.String(),
  upstream_model: Type.String(),
  weight: Type.Number(),
  /** The route's weight as a share of all weights of the model, 0 to 1. */
  share: Type.Number(),
  /** The protocols in which the vendor serves the model, in the order of preference. */
  protocols: Type.Array(Protocol),
  health: RouteHealth,
});
export type ModelRoute = Static<typeof ModelRoute>;

export const RoutedModel = Type.Object({
  model: Type.String(),
  display_name: Type.String(),
  kind: ModelKind,
  /** `available`: a route's circuit lets requests through; `fallback`: only a fallback's does; `unavailable`: none. */
  status: Type.Enum(["available", "fallback", "unavailable"]),
  /** Empty for models that are decided with another model. */
  routes: Type.Array(ModelRoute),
  /** How one of several candidates is chosen, and whether conversations stay with theirs. */
  pick: Type.Enum(["weight", "latency", "cost"]),
  sticky: Type.Boolean(),
  /** Models tried in order when no route answers. */
  fallbacks: Type.Array(Type.String()),
  decide_with: orNull(Type.String()),
  unlisted: Unlisted,
});
export type RoutedModel = Static<typeof RoutedModel>;

export const RouteList = Type.Object({
  object: Type.Literal("list"),
  /** The process that measured, and the number of seconds that its measurements cover. */
  node: Type.String(),
  window_s: Type.Integer(),
  data: Type.Array(RoutedModel),
});
export type RouteList = Static<typeof RouteList>;
