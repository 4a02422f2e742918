import { createLogs } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { LedgerServer } from "../store/sqlite/ledger-server.ts";
import { openOwned } from "../store/sqlite/open-sqlite.ts";
import { logTarget, readSettings } from "./settings/settings.ts";
import { storeNotices } from "./store-notices.ts";
import type { ProcessChannel } from "./workers/channel.ts";
import type { FromProcess, LedgerAssignment, ToProcess } from "./workers/messages.ts";

/** After the end of the supervisor the workers have this long to settle the requests that they have cut. */
const SETTLING_MS = 60_000;
/** The ledger's lines have no worker's number; the position is taken so that they are written in one piece. */
const NO_WORKER = 0;

/** Owns the embedded database until it is told to stop, and lets the workers use it. */
export async function keepLedger(channel: ProcessChannel<FromProcess, ToProcess>): Promise<void> {
  const assigned = Promise.withResolvers<LedgerAssignment>();
  const stopped = Promise.withResolvers<"told" | "gone">();
  const metrics = new Metrics();
  let server: LedgerServer | null = null;
  channel.hear((message) => {
    if (message.kind === "keep ledger") assigned.resolve(message.assignment);
    else if (message.kind === "stop") stopped.resolve("told");
    else if (message.kind === "report") {
      const vitals = {
        in_flight: 0,
        active_streams: 0,
        queue_depth: server?.waiting ?? 0,
        rss_bytes: process.memoryUsage.rss(),
      };
      channel.send({ kind: "report", id: message.id, report: { metrics: metrics.write(), vitals } });
    }
  });
  channel.onGone(() => stopped.resolve("gone"));
  const { path, socket, living, given } = await assigned.promise;
  const { log_level } = readSettings(given.options, given.env);
  const logs = createLogs(log_level, logTarget(given.options), NO_WORKER);
  const writer = await openOwned(path, storeNotices(logs, metrics, process.exit), living);
  server = await LedgerServer.listen(socket, writer);
  channel.send({ kind: "ready", started: { ports: { port: 0, operations_port: null }, banner: null } });
  if ((await stopped.promise) === "gone") await server.empty(SETTLING_MS);
  server.close();
  await writer.close();
  logs.flush();
}
