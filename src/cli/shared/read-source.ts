import type { Fetch } from "./deps.ts";
import { CliFailure } from "./failure.ts";

const TIMEOUT_MS = 60_000;

/** The text of a `FILE|URL` argument, where `-` is the standard input. Throws a CliFailure when it cannot be read. */
export async function readSource(source: string, fetch: Fetch): Promise<string> {
  if (source === "-" || source === "@-") return await Bun.stdin.text();
  return /^https?:\/\//i.test(source) ? await download(source, fetch) : await readFile(source);
}

async function download(url: string, fetch: Fetch): Promise<string> {
  const response = await tryFetch(url, fetch);
  if (response.ok) return await response.text();
  await response.body?.cancel();
  throw new CliFailure(
    `${url} answers with status ${response.status}. Give the address of the list itself, or a file.`,
    {
      code: "unreadable_source",
    },
  );
}

async function tryFetch(url: string, fetch: Fetch): Promise<Response> {
  try {
    return await fetch(url, { headers: { accept: "application/json" }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    const message = `${url} cannot be reached. Check the address and the network, or give a file.`;
    throw new CliFailure(message, { code: "unreadable_source", cause });
  }
}

async function readFile(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (cause) {
    const message = `The file ${path} cannot be read. Check its name and whether this user may read it.`;
    throw new CliFailure(message, { code: "unreadable_source", cause });
  }
}
