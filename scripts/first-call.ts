/**
 * `npm run first-call`: from an empty folder to the first billed call, once by each way in which Camino is installed: the package, the executable
 * file, the image's steps and a clone. Prints a table of commands, seconds and megabytes for docs/operations.md. What the ways need is made
 * before, and is not counted; npm's cache is warm. With names of ways (`package`, `clone`), only those.
 */
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printed } from "./release/run.ts";

const ROOT = join(import.meta.dir, "..");
const BARE = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: process.env.HOME ?? "/" };

interface Way {
  readonly name: string;
  /** Commands of a shell, in an empty folder. The last one's `camino` serves. */
  readonly commands: readonly string[];
  /** The command that serves, in that folder. */
  readonly camino: string;
  /** What of the folder is weighed. */
  readonly weighed: string;
}

async function ways(scratch: string): Promise<Way[]> {
  await printed(["npm", "pack", "--silent", "--pack-destination", scratch], ROOT);
  const tarball = join(scratch, (await readdir(scratch)).find((name) => name.endsWith(".tgz")) ?? "");
  const binary = (await printed([join(ROOT, "bin/camino-bun"), join(ROOT, "scripts/build-binary.ts")], ROOT)).trim();
  const install = `npm install -g --prefix "$PWD" --ignore-scripts --no-audit --no-fund ${tarball}`;
  return [
    { name: "package", commands: [install], camino: "./bin/camino", weighed: "lib" },
    { name: "one file", commands: [`cp ${binary} camino`], camino: "./camino", weighed: "camino" },
    {
      name: "image (its steps)",
      commands: [
        `git clone --quiet ${ROOT} src && cd src && npm ci --no-audit --no-fund --silent`,
        "cd src && npm pack --silent --pack-destination ..",
        'npm install -g --prefix "$PWD/opt" --ignore-scripts --no-audit --no-fund ./camino-*.tgz',
      ],
      camino: "./opt/bin/camino",
      weighed: "opt",
    },
    {
      name: "clone",
      commands: [
        `git clone --quiet ${ROOT} src`,
        "cd src && npm install --ignore-scripts --no-audit --no-fund --silent",
        "cd src && npm run prepare --silent",
      ],
      camino: "./src/bin/camino",
      weighed: "src",
    },
  ];
}

/** Serves, makes an account and a key, and calls once; the seconds of all of it. Throws where the call was not billed. */
async function firstCall(camino: string, folder: string): Promise<number> {
  const started = performance.now();
  const child = Bun.spawn(["sh", "-c", `exec ${camino} serve --json --port 0`], {
    ...{ cwd: folder, env: BARE, stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  });
  try {
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    const { url } = JSON.parse(new TextDecoder().decode(value)) as { url: string };
    const ask = async (words: string) =>
      JSON.parse(await printed(["sh", "-c", `${camino} ${words} --json --url ${url}`], folder));
    await ask("account create you@example.com --credit 25");
    const { key } = await ask("key create --account you@example.com");
    const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello!" }] });
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body,
    });
    await answer.text();
    const { balance_micro } = await ask("account show you@example.com");
    if (answer.status !== 200 || balance_micro >= 25_000_000)
      throw new Error(`the call was not billed: ${answer.status}`);
    return (performance.now() - started) / 1000;
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

async function megabytes(path: string): Promise<number> {
  if ((await stat(path)).isFile()) return (await stat(path)).size / 1e6;
  return Number((await printed(["du", "-sk", path], "/")).split("\t")[0]) / 976.6;
}

const scratch = await mkdtemp(join(tmpdir(), "camino-first-call-"));
try {
  console.log(
    "| | commands to install | seconds | then to the first billed call | on the disk |\n|---|---|---|---|---|",
  );
  const asked = process.argv.slice(2);
  const chosen = (await ways(scratch)).filter(
    ({ name }) => asked.length === 0 || asked.some((word) => name.startsWith(word)),
  );
  for (const { name, commands, camino, weighed } of chosen) {
    const folder = join(scratch, name.replaceAll(/\W+/g, "-"));
    await mkdir(folder);
    const started = performance.now();
    for (const command of commands) await printed(["sh", "-euc", command], folder);
    const installed_s = (performance.now() - started) / 1000;
    const call_s = await firstCall(camino, folder);
    const size = await megabytes(join(folder, weighed));
    console.log(
      `| ${name} | ${commands.length} | ${installed_s.toFixed(0)} | 4 commands, ${call_s.toFixed(1)} s | ${size.toFixed(0)} MB |`,
    );
    await rm(folder, { recursive: true, force: true });
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exit(0);
