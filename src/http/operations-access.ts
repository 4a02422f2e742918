import { clientAddress } from "../access/client-address.ts";
import { readBearer } from "../access/read-credential.ts";
import type { TokenGuard } from "../access/token-guard.ts";
import { GatewayError } from "../core/errors.ts";
import type { IncomingRequest } from "../wire/server/incoming-request.ts";
import type { RouteName } from "./paths/routes.ts";

/** At which port readiness and metrics are answered, and to which callers. By default at the gateway's, to all. */
export interface OperationsAccess {
  /** Whether they have a port of their own: the gateway's port then answers neither. */
  readonly apart: boolean;
  /** Null: nobody has to present a token. */
  readonly token: TokenGuard | null;
  /** Whether `x-forwarded-for` names the client. */
  readonly behind_proxy: boolean;
}

/** The routes that reveal something about the gateway's traffic. `/healthz` only says that the process is up. */
const OPERATIONS_ROUTES: ReadonlySet<RouteName> = new Set<RouteName>(["readyz", "metrics"]);

/** Whether a route is answered only at the port of the operations endpoints. */
export function isServedApart({ apart }: OperationsAccess, name: RouteName): boolean {
  return apart && OPERATIONS_ROUTES.has(name);
}

/** Throws a 401 where a token is needed and is missing or wrong, and a 429 after many wrong ones. */
export function requireReader(access: OperationsAccess, name: RouteName, { head, peer }: IncomingRequest): void {
  const { token, behind_proxy } = access;
  if (token === null || !OPERATIONS_ROUTES.has(name)) return;
  const sent = readBearer(head);
  if (sent === null) {
    throw new GatewayError(
      "missing_api_key",
      "This needs the token of the operations endpoints: `Authorization: Bearer <CAMINO_OPERATIONS_TOKEN>`.",
    );
  }
  if (token.judge(sent, clientAddress(head, peer, behind_proxy)) === "wrong") {
    throw new GatewayError(
      "invalid_api_key",
      "The token is not that of the operations endpoints (CAMINO_OPERATIONS_TOKEN).",
    );
  }
}
