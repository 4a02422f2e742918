/**
 * `npm run first-call`: from an empty folder to the first billed call, once by each way in which Camino is installed: the package, the executable
 * file, the image's steps and a clone. Prints a table of commands, seconds and megabytes for proofs/bench/figures.md. With names of ways
 * (`package`, `clone`), only those.
 *
 * What is carried (the tarball, the executable) is made before and not counted, npm's cache is warm, and the seconds by the clock are those of a machine
 * that may have much else to do: beside them are the seconds of its processors. The image's steps need root and debootstrap, and are left out without.
 */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { measured, megabytes } from "./first-call/measured.ts";
import { firstCall } from "./first-call/serve-and-call.ts";
import { printed } from "./release/run.ts";

const ROOT = join(import.meta.dir, "..");

interface Way {
  readonly name: string;
  /** Commands of a shell, in an empty folder. */
  readonly commands: readonly string[];
  /** The command that serves, in that folder. */
  readonly camino: string;
  /** What of the folder is weighed. */
  readonly weighed: string;
}

const DEBIAN = "bookworm";

/**
 * The Dockerfile's steps: the build stage's with this machine's Node.js, the second stage's in an empty root of the same Debian, which has nothing else.
 */
function stepsOfImage(): readonly string[] {
  return [
    `git clone --quiet ${ROOT} src && cd src && npm ci --no-audit --no-fund --silent`,
    "cd src && npm pack --silent --pack-destination .. > ../packed",
    'npm install -g --prefix "$PWD/opt" --ignore-scripts --no-audit --no-fund --silent ./camino-*.tgz',
    `debootstrap --variant=minbase ${DEBIAN} root > debootstrap.log`,
    "mkdir -p root/opt && cp -a opt root/opt/camino && install -d -m 0700 -o 10001 -g 10001 root/data",
    "rm -rf src opt",
  ];
}

/** As a container runs it: mounts of its own, user 10001, and the image's variables. Each program replaces the one before, so that a signal reaches the gateway. */
const IN_ROOT = [
  "unshare --mount sh -c 'mount -t proc proc root/proc && exec chroot --userspec=10001:10001 root",
  "env -i PATH=/opt/camino/bin:/usr/local/bin:/usr/bin:/bin HOME=/tmp CAMINO_HOST=127.0.0.1 CAMINO_DATA=/data",
  '/opt/camino/bin/camino "$@"\' camino',
].join(" ");

async function ways(scratch: string, asked: readonly string[]): Promise<Way[]> {
  const wanted = (name: string): boolean => asked.length === 0 || asked.some((word) => name.startsWith(word));
  const found: Way[] = [];
  if (wanted("package")) {
    await printed(["npm", "pack", "--silent", "--pack-destination", scratch], ROOT);
    const tarball = join(scratch, (await readdir(scratch)).find((name) => name.endsWith(".tgz")) ?? "");
    const install = `npm install -g --prefix "$PWD" --ignore-scripts --no-audit --no-fund ${tarball}`;
    found.push({ name: "package", commands: [install], camino: "./bin/camino", weighed: "lib" });
  }
  if (wanted("one file")) {
    const made = await printed([join(ROOT, "bin/camino-bun"), join(ROOT, "scripts/build-binary.ts")], ROOT);
    const commands = [`cp ${made.trim()} camino`];
    found.push({ name: "one file", commands, camino: "./camino", weighed: "camino" });
  }
  if (wanted("image")) {
    if (process.getuid?.() === 0 && Bun.which("debootstrap") !== null)
      found.push({ name: "image (its steps)", commands: stepsOfImage(), camino: IN_ROOT, weighed: "root" });
    else console.error("camino: the image's steps need root and debootstrap: left out");
  }
  if (wanted("clone")) {
    const install = "cd src && npm install --ignore-scripts --no-audit --no-fund --silent";
    const commands = [`git clone --quiet ${ROOT} src`, install, "cd src && npm run prepare --silent"];
    found.push({ name: "clone", commands, camino: "./src/bin/camino", weighed: "src" });
  }
  return found;
}

const scratch = await mkdtemp(join(tmpdir(), "camino-first-call-"));
try {
  const chosen = await ways(scratch, process.argv.slice(2));
  console.log("| Way | Commands | Installed after | of a processor | First billed call after | On the disk |");
  console.log("|---|---|---|---|---|---|");
  for (const { name, commands, camino, weighed } of chosen) {
    const folder = join(scratch, name.replaceAll(/\W+/g, "-"));
    await mkdir(folder);
    let [clock_s, processor_s] = [0, 0];
    for (const command of commands) {
      const spent = await measured(command, folder);
      clock_s += spent.clock_s;
      processor_s += spent.processor_s;
    }
    const call_s = await firstCall(camino, folder);
    const size = await megabytes(join(folder, weighed));
    const row = [name, commands.length, `${clock_s.toFixed(0)} s`, `${processor_s.toFixed(0)} s`];
    console.log(`| ${[...row, `4 more, ${call_s.toFixed(1)} s`, `${size.toFixed(0)} MB`].join(" | ")} |`);
    await rm(folder, { recursive: true, force: true });
  }
  const [load = 0] = loadavg();
  const node = (await printed(["node", "--version"], ROOT)).trim();
  console.log(`\n${cpus().length} cores, ${load.toFixed(0)} programs running or waiting, Node.js ${node}.`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exit(0);
