/** Where `/metrics`, `/readyz` and `/healthz` are answered, and for whom (docs/configuration.md Operations endpoints). */
export interface OperationsSettings {
  /** Null: where the gateway listens. */
  readonly host: string | null;
  /** The port of their own; null: the gateway's. 0: any free port. */
  readonly port: number | null;
  /** What readers of metrics and readiness must present; null: nothing. */
  readonly token: string | null;
}

export const DEFAULT_OPERATIONS: OperationsSettings = { host: null, port: null, token: null };
