import type { LinkProps } from "@tanstack/react-router";
import type { Series } from "../../kit/series.ts";
import { MINUTE_MS, minuteText } from "../../kit/wall-time.ts";
import type { Filters } from "./request-query.ts";

/** The link from a chart's time to its requests, with the page's own filters and those of a series. `from`, `to`: days, or minutes with their zone. */
export function requestsAt(times: Pick<Filters, "from" | "to">, filters: Filters, series: Series | null): LinkProps {
  return { to: "/requests", search: { ...filters, ...series?.filters, time: "custom", ...times } };
}

/** A period's minutes, the last one included, as that page takes them. */
export function minutesOf(since: string, until: string): Pick<Filters, "from" | "to"> {
  return { from: minuteText(Date.parse(since)), to: minuteText(Date.parse(until) - MINUTE_MS) };
}
