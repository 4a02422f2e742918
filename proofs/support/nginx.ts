import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The nginx of this machine; null where there is none. */
export const NGINX: string | null = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });

/** Whether this nginx is at least of a version, `1.27.3`. */
export function nginxIsAtLeast(version: string): boolean {
  if (NGINX === null) return false;
  const { stderr } = Bun.spawnSync([NGINX, "-v"]);
  const [, found] = /nginx\/([\d.]+)/.exec(stderr.toString()) ?? [];
  if (found === undefined) throw new Error(`nginx says no version: ${stderr}`);
  return Bun.semver.order(found, version) >= 0;
}

/** A folder with a configuration whose `http` holds these servers, and everything that nginx writes. */
async function folderWith(servers: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "camino-nginx-"));
  await mkdir(join(folder, "kept"));
  // Debian's keeps bodies and answers under /var/lib/nginx, which is the system's.
  const kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/kept/${name};`,
  );
  const main = `pid ${folder}/pid;\nerror_log stderr;\ndaemon off;\nmaster_process off;\nevents {}\n`;
  const written = servers.includes("ssl_certificate") ? withCertificate(servers, folder) : servers;
  await Bun.write(join(folder, "nginx.conf"), `${main}http {\naccess_log off;\n${kept.join("\n")}\n${written}\n}\n`);
  return folder;
}

/** The servers with a new certificate for this machine, in the folder, in the place of the reader's. */
function withCertificate(servers: string, folder: string): string {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const files = ["-keyout", key, "-out", certificate];
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", ...files];
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...words]);
  if (exitCode !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  return servers
    .replace(/ssl_certificate \S+;/g, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${key};`);
}

/** Takes the certificate that `startNginx` made, which nobody has signed. */
export const TRUSTING = { tls: { rejectUnauthorized: false } };

const wordsFor = (folder: string): string[] => ["-e", "stderr", "-c", join(folder, "nginx.conf"), "-p", folder];

/** What nginx says against servers of a configuration; null where it accepts them. */
export async function refusalOfNginx(servers: string): Promise<string | null> {
  const folder = await folderWith(servers);
  try {
    const { stderr, exitCode } = Bun.spawnSync([NGINX ?? "nginx", "-t", ...wordsFor(folder)]);
    return exitCode === 0 ? null : stderr.toString();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Serves by these servers, one of which listens at `url`, until it is disposed of. Throws what nginx said where it ends before it serves. */
export async function startNginx(servers: string, url: string): Promise<AsyncDisposable> {
  const folder = await folderWith(servers);
  const child = Bun.spawn([NGINX ?? "nginx", ...wordsFor(folder)], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  while (!(await answers(url))) {
    if (child.exitCode === null) continue;
    await stop();
    throw new Error(`nginx ended with ${child.exitCode}: ${await child.stderr.text()}`);
  }
  return { [Symbol.asyncDispose]: stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, TRUSTING)).text();
    return true;
  } catch {
    await Bun.sleep(20);
    return false;
  }
}
