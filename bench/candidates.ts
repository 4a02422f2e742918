import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { MODELS } from "./exchange.ts";
import { environment, freePort, type Program, ROOT, start, startServer, waitFor } from "./programs.ts";

/** The compared programs: each is a process between the load generator and the vendor. */

export const CANDIDATES = ["gateway", "bare", "floor", "nginx"] as const;
export type CandidateName = (typeof CANDIDATES)[number];

/** Another `camino` command that runs beside the project's own, so that a change is measured in the same minutes. */
export interface Variant {
  readonly name: string;
  /** The path of its `bin/camino`. */
  readonly command: string;
}

export interface Candidate {
  /** One of the names above, or a variant's. */
  readonly name: string;
  /** The base URL of the endpoint. */
  readonly url: string;
  readonly key: string;
  /** Whether it speaks both styles: a `camino` command. */
  readonly translates: boolean;
  readonly program: Program;
}

const KEY = "bench-key";

/** Starts a candidate; null for nginx where it is not installed. `folder`: for its configuration, data and logs. */
export async function startCandidate(
  name: CandidateName,
  vendor_url: string,
  folder: string,
): Promise<Candidate | null> {
  switch (name) {
    case "gateway":
      return await startGateway({ name, command: join(ROOT, "bin/camino") }, vendor_url, folder);
    case "bare":
    case "floor": {
      const program = await startServer(`${name}-proxy.ts`, [vendor_url, KEY], folder);
      return { name, url: `http://127.0.0.1:${program.port}/v1`, key: KEY, translates: false, program };
    }
    case "nginx":
      return await startNginx(vendor_url, join(folder, name));
  }
}

/** Camino as a user starts it: its own command, a configuration file, SQLite on disk, prices that are not zero. */
export async function startGateway(
  { name, command }: Variant,
  vendor_url: string,
  bench_folder: string,
): Promise<Candidate> {
  const folder = join(bench_folder, name);
  await mkdir(folder, { recursive: true });
  const port = freePort();
  const [config, log_path] = [join(folder, "camino.yaml"), join(folder, "log")];
  await Bun.write(config, gatewayConfig(vendor_url));
  const env = { CAMINO_ADMIN_TOKEN: "bench-admin-token-0123456789abcdef", CAMINO_URL: `http://127.0.0.1:${port}` };
  const options = ["--config", config, "--host", "127.0.0.1", "--port", String(port), "--data", join(folder, "data")];
  const program = start([command, "serve", ...options], log_path, env);
  try {
    await waitFor("camino serve", program, async () => ((await fetch(`${env.CAMINO_URL}/readyz`)).ok ? true : null));
    await run([command, "account", "create", "bench@example.com", "--credit", "1000000", "--json"], env);
    const limits = ["--rpm", "100000000", "--concurrent", "10000"];
    const key = await run([command, "key", "create", "--account", "bench@example.com", ...limits, "--json"], env);
    return { name, url: `${env.CAMINO_URL}/v1`, key: String(key.key), translates: true, program };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

function gatewayConfig(vendor_url: string): string {
  return Bun.YAML.stringify(
    {
      currency: "USD",
      catalog: "none",
      vendors: { bench: { name: "Bench", protocol: "chat-completions", base_url: vendor_url, api_key: "vendor-key" } },
      models: Object.fromEntries(MODELS.map((model) => [`bench/${model}`, { price: { input: 1, output: 4 } }])),
    },
    null,
    2,
  );
}

async function run(command: readonly string[], env: Record<string, string>): Promise<Record<string, unknown>> {
  const child = Bun.spawn([...command], {
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.slice(1).join(" ")} failed: ${stderr || stdout}`);
  return JSON.parse(stdout);
}

async function startNginx(vendor_url: string, folder: string): Promise<Candidate | null> {
  const binary = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
  if (binary === null) return null;
  await mkdir(folder, { recursive: true });
  const port = freePort();
  const [config, log_path] = [join(folder, "nginx.conf"), join(folder, "log")];
  await Bun.write(config, nginxConfig(new URL(vendor_url).host, port, folder));
  const program = start([binary, "-c", config, "-p", folder, "-e", "stderr"], log_path);
  const url = `http://127.0.0.1:${port}`;
  await waitFor("nginx", program, async () => ((await fetch(`${url}/ready`)).ok ? true : null));
  return { name: "nginx", url: `${url}/v1`, key: KEY, translates: false, program };
}

/** One process with kept-alive connections on both sides and no buffering: the cheapest proxy that can be installed. */
function nginxConfig(vendor: string, port: number, folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.join("\n  ")}
  keepalive_requests 10000000;
  upstream vendor { server ${vendor}; keepalive 128; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location = /ready { return 204; }
    location / {
      proxy_pass http://vendor;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
