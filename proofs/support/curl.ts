import { join } from "node:path";

/**
 * Runs a curl command on a machine that may have no curl: the shell splits the command into words, and the request is
 * made from the words. Throws where the shell refuses the command. `folder`: where it finds the files that it sends.
 */
export async function runCurl(
  command: string,
  env: Readonly<Record<string, string>> = {},
  folder = ".",
): Promise<Response> {
  return await runWords(await wordsOf(command, env), folder);
}

/** The request of `curl` with these words. */
export async function runWords(words: readonly string[], folder = "."): Promise<Response> {
  const headers = new Headers();
  let url = "";
  let body: string | FormData | undefined;
  let method: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (WITH_VALUE.has(word)) index += 1;
    const value = words[index] ?? "";
    if (word === "-d") body = value;
    else if (word === "-F") body = await withField(body, value, folder);
    else if (word === "-X") method = value;
    else if (word === "-H") headers.append(...splitHeader(value));
    else if (word !== "-N" && word !== "-o") url = word;
  }
  method ??= body === undefined ? "GET" : "POST";
  return await fetch(url, { method, headers, ...(body !== undefined && { body }) });
}

const WITH_VALUE = new Set(["-H", "-d", "-X", "-o", "-F"]);

/** A form with one more field, `name=text` or `name=@file`. */
async function withField(body: string | FormData | undefined, field: string, folder: string): Promise<FormData> {
  const form = body instanceof FormData ? body : new FormData();
  const equals = field.indexOf("=");
  const name = field.slice(0, equals);
  const value = field.slice(equals + 1);
  if (!value.startsWith("@")) form.append(name, value);
  else form.append(name, new File([await Bun.file(join(folder, value.slice(1))).bytes()], value.slice(1)));
  return form;
}

async function wordsOf(command: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const child = Bun.spawn(["sh", "-euc", `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0 || stderr !== "") throw new Error(`the shell says ${status}: ${stderr}\n${command}`);
  return stdout.split("\0").slice(0, -1);
}

function splitHeader(text: string): [string, string] {
  const colon = text.indexOf(":");
  return [text.slice(0, colon), text.slice(colon + 1).trim()];
}
