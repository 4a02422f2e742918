import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PLAIN, type Place } from "./drive.ts";
import { makeKeys, OWN, serveGateway, type Variant } from "./gateway.ts";
import { freePort, type Program, start, startServer, waitFor } from "./programs.ts";

/** The compared programs: each is a process between the load generator and the vendor. */

export const CANDIDATES = ["gateway", "bare", "billed", "floor", "nginx"] as const;
export type CandidateName = (typeof CANDIDATES)[number];

export interface Candidate extends Place {
  /** One of the names above, a variant's or a peer's. */
  readonly name: string;
  /** Whether it speaks both styles: a `camino` command. */
  readonly translates: boolean;
  /** The part of the amounts of calls that it gets: 1, and less for a peer that would take hours. */
  readonly share: number;
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
      return await startGateway(OWN, vendor_url, folder);
    case "bare":
      return await startProxy(name, "bare-proxy.ts", [vendor_url, KEY], folder);
    case "billed":
      return await startProxy(name, "bare-proxy.ts", [vendor_url, KEY, join(folder, "plain-books.db")], folder);
    case "floor":
      return await startProxy(name, "floor-proxy.ts", [vendor_url], folder);
    case "nginx":
      return await startNginx(vendor_url, join(folder, name));
  }
}

async function startProxy(
  name: CandidateName,
  script: string,
  args: readonly string[],
  bench_folder: string,
): Promise<Candidate> {
  const folder = join(bench_folder, name);
  await mkdir(folder, { recursive: true });
  const program = await startServer(script, args, folder);
  const url = `http://127.0.0.1:${program.port}/v1`;
  return { ...PLAIN, name, url, key: KEY, translates: false, share: 1, program };
}

/** Camino with SQLite and one caller. */
export async function startGateway(variant: Variant, vendor_url: string, bench_folder: string): Promise<Candidate> {
  const { name, command } = variant;
  const gateway = await serveGateway({ command, vendor_url, folder: join(bench_folder, name) });
  const { origin, program } = gateway;
  try {
    const [key = ""] = await makeKeys(gateway, 1);
    return { ...PLAIN, name, url: `${origin}/v1`, key, translates: true, share: 1, program };
  } catch (error) {
    await program.stop();
    throw error;
  }
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
  return { ...PLAIN, name: "nginx", url: `${url}/v1`, key: KEY, translates: false, share: 1, program };
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
