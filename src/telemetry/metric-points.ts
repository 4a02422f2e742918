import type { HrTime } from "@opentelemetry/api";
import type { ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import type { HistogramPoint, MetricReading } from "../observe/exposition.ts";
import type { Source } from "./source.ts";

export type ExportedMetrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0];
type ExportedMetric = ExportedMetrics["scopeMetrics"][number]["metrics"][number];

/** The numbers behind the names in OpenTelemetry's SDK of metrics, which is not loaded for them. */
const HISTOGRAM = 0;
const GAUGE = 2;
const SUM = 3;
const CUMULATIVE = 1;
const DOUBLE = 1;

export interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** The gateway's metrics under the names that `/metrics` has them by, for a collector. */
export function metricPoints(readings: readonly MetricReading[], period: Period, source: Source): ExportedMetrics {
  const metrics = readings
    .filter(({ points }) => points.length > 0)
    .map((reading): ExportedMetric => {
      const unit = reading.name.includes("_seconds") ? "s" : reading.name.includes("_bytes") ? "By" : "1";
      const descriptor = { name: reading.name, description: reading.help, unit, valueType: DOUBLE };
      const shared = { descriptor, aggregationTemporality: CUMULATIVE } as const;
      if (reading.type === "histogram")
        return { ...shared, dataPointType: HISTOGRAM, dataPoints: histogramPoints(reading, period) };
      const dataPoints = reading.points.map(([attributes, value]) => ({ ...period, attributes, value }));
      return reading.type === "gauge"
        ? { ...shared, dataPointType: GAUGE, dataPoints }
        : { ...shared, dataPointType: SUM, isMonotonic: true, dataPoints };
    });
  return { resource: source.resource, scopeMetrics: [{ scope: source.instrumentationScope, metrics }] };
}

function histogramPoints(
  { bounds, points }: { readonly bounds: readonly number[]; readonly points: readonly HistogramPoint[] },
  period: Period,
) {
  return points.map(({ labels, hits, sum, count }) => ({
    ...period,
    attributes: labels,
    value: { buckets: { boundaries: [...bounds], counts: [...hits] }, sum, count },
  }));
}
