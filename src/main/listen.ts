import type { OperationsSettings } from "../core/catalog/operations-settings.ts";
import type { EdgeDeps } from "../http/context.ts";
import type { OperationsServer } from "../http/operations-server.ts";
import { type RunningServer, startServer } from "../http/server.ts";
import type { Meanwhile } from "./listen-meanwhile.ts";
import { serveApart } from "./operations.ts";
import type { Settings } from "./settings/settings.ts";
import type { WorkerLink } from "./workers/worker-link.ts";

interface ListenParts {
  readonly settings: Pick<Settings, "host" | "port">;
  readonly operations: OperationsSettings;
  readonly link: WorkerLink | null;
  /** What has listened there so far. */
  readonly meanwhile: Pick<Meanwhile, "end">;
}

export interface Servers {
  readonly server: RunningServer;
  /** The operations endpoints' own; null where they have none. */
  readonly apart: OperationsServer | null;
}

/**
 * Starts to listen, at ports of its own or at those that all of a gateway's processes share: the first one finds them. Throws when an
 * address is not available.
 */
export function listen(edge: EdgeDeps, parts: ListenParts, opened: AsyncDisposableStack): Servers {
  const { settings, operations, link } = parts;
  parts.meanwhile.end();
  const ports = link?.assignment.ports ?? null;
  const sharing = link === null ? {} : { sharing: ports === null ? ("first" as const) : ("joins" as const) };
  const server = startServer(edge, { hostname: settings.host, port: ports?.port ?? settings.port, ...sharing });
  opened.defer(() => server.cut());
  const port = operations.port === null ? null : (ports?.operations_port ?? operations.port);
  const apart = serveApart(edge, { hostname: operations.host ?? settings.host, port, ...sharing }, server);
  opened.defer(() => apart?.cut());
  return { server, apart };
}
