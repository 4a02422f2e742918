import type { ModelRoute, RoutedModel } from "../../../../contract/routes.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { formatCount, formatShare } from "../../kit/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { QuietLink, TextLink } from "../../kit/row-link.tsx";
import { CircuitBadge, ErrorRate, isFailing, Latency } from "../admin-parts/health-values.tsx";
import { KIND_BADGES } from "../models/kinds.ts";

const STATES: Readonly<Record<RoutedModel["status"], { tone: Tone; label: string; hint: string }>> = {
  available: { tone: "good", label: "available", hint: "At least one route works" },
  fallback: { tone: "warn", label: "only a fallback", hint: "None of its own routes works" },
  unavailable: { tone: "danger", label: "unavailable", hint: "No route and no fallback works" },
};

const PICKS: Readonly<Record<RoutedModel["pick"], string>> = {
  weight: "Shared out by weight",
  latency: "The faster of two that are drawn by weight",
  cost: "The cheapest that works",
};

const ERRORS = { tone: "warn", label: "many errors", hint: "Requests go through, but many fail" } as const;

/** One model: its routes with their weights, and its fallbacks. */
export function ModelRoutes({ model }: { model: RoutedModel }) {
  const failing =
    model.status === "available" && model.routes.length > 0 && model.routes.every(({ health }) => isFailing(health));
  const { tone, label, hint } = failing ? ERRORS : STATES[model.status];
  return (
    <li className="px-4 py-3.5 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-semibold [overflow-wrap:anywhere]">
          <LongName>{model.model}</LongName>
        </h3>
        <Badge tone={tone} hint={hint}>
          <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
          {label}
        </Badge>
        {KIND_BADGES[model.kind] !== null && <Badge>{KIND_BADGES[model.kind]}</Badge>}
        <QuietLink
          to="/admin/configuration/$kind/$id"
          params={{ kind: "model", id: model.model }}
          search={{}}
          aria-label={`Change the routes of ${model.model}`}
        >
          <span className="text-[0.88rem] text-ink-soft">change</span>
        </QuietLink>
      </div>
      {model.decide_with !== null && (
        <p className="mt-1 text-[0.9rem] text-ink-soft">
          Decided with <OtherModel id={model.decide_with} />, by its routes.
        </p>
      )}
      {model.routes.length > 0 && (
        <ol className="mt-2 space-y-1.5" aria-label={`Routes of ${model.model}`}>
          {model.routes.map((route) => (
            <Way key={`${route.vendor} ${route.upstream_model}`} route={route} alone={model.routes.length === 1} />
          ))}
        </ol>
      )}
      {model.routes.length > 1 && (
        <p className="mt-1.5 text-[0.9rem] text-ink-soft">
          {PICKS[model.pick]}
          {model.sticky ? "; a conversation stays where it is while that works." : "; each request for itself."}
        </p>
      )}
      {model.fallbacks.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.9rem] text-ink-soft">
          Then
          {model.fallbacks.map((id, index) => (
            <span key={id} className="inline-flex items-center gap-2">
              {index > 0 && <Icon name="arrow-right" className="size-3.5" />}
              <OtherModel id={id} />
            </span>
          ))}
        </p>
      )}
    </li>
  );
}

function OtherModel({ id }: { id: string }) {
  return (
    <TextLink to="/admin/routes" search={{ q: id }}>
      {id}
    </TextLink>
  );
}

const WAY = "gap-x-4 px-3 md:grid-cols-[minmax(0,1fr)_8rem_9.5rem_5.5rem_6rem]";

/** The headings of the routes' columns. Screen readers skip them, since each value has its own label. */
export function RouteHeads() {
  return (
    <div aria-hidden="true" className="px-4 max-md:hidden sm:px-5">
      <div className={`grid pb-2 text-[0.83rem] font-medium text-ink-soft ${WAY}`}>
        <span>Route</span>
        <span>Share</span>
        <span className="text-right">First byte p50 / p95</span>
        <span className="text-right">Errors</span>
        <span className="text-right">Circuit</span>
      </div>
    </div>
  );
}

/** One route: its vendor, its share of the requests and its health. */
function Way({ route, alone }: { route: ModelRoute; alone: boolean }) {
  const { vendor, vendor_name, upstream_model, weight, share, protocols, health } = route;
  return (
    <li className={`grid items-center gap-y-1 rounded-lg bg-canvas py-2 text-[0.92rem] ${WAY}`}>
      <span className="min-w-0">
        <TextLink to="/admin/vendors/$id" params={{ id: vendor }} search={{}}>
          {vendor_name}
        </TextLink>{" "}
        <span className="font-mono text-[0.82rem] text-ink-soft" data-hint={`in ${protocols.join(", ")}`}>
          <FittingName>{upstream_model}</FittingName>
        </span>
      </span>
      <span className="flex items-center gap-2 text-ink-soft" data-hint={`weight ${formatCount(weight)}`}>
        {alone ? (
          <span className="max-md:hidden">all requests</span>
        ) : (
          <>
            <span aria-hidden="true" className="h-1.5 w-14 overflow-hidden rounded-full bg-sunken">
              <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
            </span>
            <span className="tabular-nums">{formatShare(share)}</span>
          </>
        )}
      </span>
      <Named name="First byte">
        <Latency of={health.first_byte_ms} what="First byte" />
      </Named>
      <Named name="Errors">
        <ErrorRate health={health} />
      </Named>
      <Named name="Circuit">
        <CircuitBadge health={health} />
      </Named>
    </li>
  );
}

/** A value with its label, which only phones and screen readers get: wide screens have the column's heading. */
function Named({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <span className="flex items-center justify-between gap-2 md:justify-end">
      <span className="text-ink-soft md:sr-only">{name}</span>
      {children}
    </span>
  );
}
