/** Runs a program to its end. Its environment is this process's, without the settings that npm hands to its own scripts. */
export async function run(
  command: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry$)/i.test(name));
  const env = { ...Object.fromEntries(own), ...more };
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, stdout, stderr };
}

/** What a program has printed. Throws all of it where its status is not 0. */
export async function printed(command: readonly string[], cwd: string): Promise<string> {
  const { status, stdout, stderr } = await run(command, cwd);
  if (status !== 0) throw new Error(`${command.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
