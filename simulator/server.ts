import type { AwsCredentials } from "./check-signature.ts";
import { SimulatorLog } from "./request-log.ts";
import { Vendor } from "./vendor.ts";

export interface SimulatorOptions {
  /** The host to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** The port to listen on. Default 0: any free port. */
  readonly port?: number;
  /** The credential that requests must carry; without `api_key`, no credential is checked. */
  readonly api_key?: string;
  /**
   * The credentials with which requests must be signed (Signature Version 4); without `aws`, no signature is checked.
   */
  readonly aws?: AwsCredentials;
  /** The number of requests that the log holds; 0, for benches, holds none. Default 1,000. */
  readonly keep?: number;
}

export interface Simulator {
  /** `http://HOST:PORT`: the base URL of the Anthropic client. */
  readonly url: string;
  /** `url` with the version segment: the base URL of the OpenAI client, and of a vendor in the configuration. */
  readonly base_url: string;
  readonly port: number;
  readonly log: SimulatorLog;
  /** Credentials that get a failure in place of an answer, for tests. */
  readonly refused: Map<string, { readonly status: number; readonly headers?: Readonly<Record<string, string>> }>;
  /** Closes the listener and every connection. */
  stop(): Promise<void>;
}

/** Starts the stand-in vendor, which speaks every protocol of `protocols/`. Rejects when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = "127.0.0.1", port = 0, api_key = null, aws = null, keep = 1000 } = options;
  const log = new SimulatorLog(keep);
  const refused: Simulator["refused"] = new Map();
  const stopping = new AbortController();
  const vendor = new Vendor({ api_key, aws, log, refused, stopping: stopping.signal });
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: 0,
    development: false,
    fetch: (request) => vendor.answer(request),
  });
  const listening_port = server.port ?? port;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening_port}`;
  return {
    url,
    base_url: `${url}/v1`,
    port: listening_port,
    log,
    refused,
    async stop() {
      stopping.abort();
      await server.stop(true);
    },
  };
}
