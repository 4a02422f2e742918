/** A Camino program that prints one JSON line when it is ready. */
export interface ChildProgram {
  readonly ready: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts `bin/camino …`; throws with its output when it ends before it is ready. */
export async function startProgram(args: readonly string[], cwd: string): Promise<ChildProgram> {
  const command = new URL("../../../bin/camino", import.meta.url).pathname;
  const child = Bun.spawn([command, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", CAMINO_LOG: "error" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const complaints = new Response(child.stderr).text();
  let text = "";
  const reader = child.stdout.getReader();
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`camino ${args[0]} ended with ${await child.exited}: ${text}${await complaints}`);
    text += Buffer.from(value).toString();
  }
  reader.releaseLock();
  return {
    ready: JSON.parse(text) as Record<string, unknown>,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
