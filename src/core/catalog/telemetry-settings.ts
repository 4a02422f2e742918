/** Where OpenTelemetry's data goes, and which of it (docs/configuration.md OpenTelemetry). */
export interface TelemetrySettings {
  /** The collector's address, to which `/v1/traces`, `/v1/metrics` and `/v1/logs` are added: without a slash at its end. */
  readonly endpoint: string;
  /** Sent with each export: credentials are among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly service_name: string;
  /** Null: no traces. */
  readonly traces: TraceSampling | null;
  readonly metrics: boolean;
  readonly logs: boolean;
  /** Whether vendors get a `traceparent` that names the attempt. */
  readonly forward_traceparent: boolean;
  /** Which of OpenTelemetry's conventions for generative AI names the attributes. */
  readonly conventions: Conventions;
}

/** Which calls are recorded (docs/rulings.md 186). */
export interface TraceSampling {
  /** The share of calls without a caller's trace that is recorded: 0 to 1. */
  readonly share: number;
  /** Whether a caller's trace decides for the call, where there is one. */
  readonly follows_caller: boolean;
}

/** `latest`: those of 1.37 and later. `1.36`: the last ones that name the provider `gen_ai.system`. */
export type Conventions = "latest" | "1.36";
