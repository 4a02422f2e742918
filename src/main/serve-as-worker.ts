import type { WorkerState } from "../console-api/answer/administration.ts";
import type { Store } from "../core/store/ports.ts";
import type { RunningServer } from "../http/server.ts";
import type { Log } from "../observe/log.ts";
import { mergeExpositions } from "../observe/merge-expositions.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Banner } from "./greeting/banner.ts";
import type { Servers } from "./listen.ts";
import type { OpenedLedger } from "./open-ledger.ts";
import type { Vitals } from "./workers/messages.ts";
import { labelOf, oneForEachPlace, processMetrics } from "./workers/process-metrics.ts";
import type { WorkerDuties, WorkerLink } from "./workers/worker-link.ts";

/** The tie between one worker and the gateway around it. */

/** The metrics of all processes. Where the supervisor does not answer they are this process's own, under its own label. */
export async function metricsOfAll(link: WorkerLink, own: Metrics): Promise<string> {
  const { number } = link.assignment;
  try {
    const reports = oneForEachPlace(await link.reports());
    const told = reports.flatMap((report) =>
      report.own === null ? [] : [{ label: labelOf(report), text: report.own.metrics }],
    );
    return `${mergeExpositions("worker", told)}\n${processMetrics(reports)}`;
  } catch {
    return mergeExpositions("worker", [{ label: String(number), text: own.write() }]);
  }
}

/** The processes as administrators see them; null where the supervisor does not answer. */
export async function processesOf(link: WorkerLink): Promise<readonly WorkerState[] | null> {
  try {
    const reports = await link.reports();
    return reports.map(({ number, state, pid, node_id, started_ms, restarts, own }) => ({
      ...{ worker: number, state, pid, node: node_id, started_ms, restarts },
      vitals: own?.vitals ?? null,
    }));
  } catch {
    return null;
  }
}

/** The figures of this process, at the moment at which they are asked for. */
export function vitalsOf(
  { ledger, open_requests }: Pick<OpenedLedger, "ledger" | "open_requests">,
  server: Pick<RunningServer, "state">,
): () => Vitals {
  return () => ({
    in_flight: server.state().in_flight,
    active_streams: open_requests.streams,
    queue_depth: ledger.pending,
    rss_bytes: process.memoryUsage.rss(),
  });
}

interface WorkerParts extends Servers {
  readonly banner: Banner;
  readonly metrics: Metrics;
  readonly vitals: () => Vitals;
  readonly store: Pick<Store, "ledger">;
  readonly log: Log;
}

/** Reports that the worker serves, and follows the supervisor's orders from now on. */
export function begin(link: WorkerLink, { banner, server, apart, ...parts }: WorkerParts): void {
  link.ready({ ports: { port: server.port, operations_port: apart?.port ?? null }, banner }, dutiesOf(parts));
}

function dutiesOf({
  metrics,
  vitals,
  store: { ledger },
  log,
}: Omit<WorkerParts, "banner" | keyof Servers>): WorkerDuties {
  return {
    report: () => ({ metrics: metrics.write(), vitals: vitals() }),
    async bury(nodes) {
      for (const node of nodes) {
        const { settled, voided } = await untilDone(() => ledger.bury(node), log);
        if (settled + voided > 0) log.warn({ node, settled, voided }, "ended the holds of a worker that died");
      }
    },
  };
}

const AGAIN_AFTER_MS = 500;

/** Tries until it succeeds, as the database may be away; the wait does not keep this process alive. */
async function untilDone<Result>(make: () => Promise<Result>, log: Log): Promise<Result> {
  for (;;) {
    try {
      return await make();
    } catch (thrown) {
      log.warn({ err: thrown }, "the holds of a worker that died could not be ended yet");
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS).unref());
    }
  }
}
