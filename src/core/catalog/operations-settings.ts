/** The address of `/metrics`, `/readyz` and `/healthz`, and who may read them (docs/configuration.md Operations endpoints). */
export interface OperationsSettings {
  /** Null: where the gateway listens. */
  readonly host: string | null;
  /** The port of their own; null: the gateway's. 0: any free port. */
  readonly port: number | null;
  /** The token that readers of metrics and readiness must present; null: none. */
  readonly token: string | null;
}

export const DEFAULT_OPERATIONS: OperationsSettings = { host: null, port: null, token: null };
