/** A worker of a gateway that runs as several processes. `supervise.ts` starts it and sends its assignment. */
import { loadServe } from "./built-gateway.ts";
import { withOwnSecrets } from "./settings/secret-files.ts";
import { parentChannel } from "./workers/channel.ts";
import type { FromProcess, ToProcess } from "./workers/messages.ts";
import { runProcess } from "./workers/run-process.ts";
import { WorkerLink } from "./workers/worker-link.ts";

const channel = parentChannel<FromProcess, ToProcess>();
const { serve } = await loadServe();
const first = await channel.first();
if (first.kind !== "serve") throw new Error(`a worker was told "${first.kind}" before it was told to serve`);
const link = new WorkerLink(first.assignment, channel);
const { options, env, version } = first.assignment.given;
// Ctrl-C reaches all processes of the terminal, and the supervisor decides which of them end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => link.signalled("SIGTERM"));
const stdout = (text: string): void => void process.stdout.write(text);
const stderr = (text: string): void => void process.stderr.write(text);
await runProcess(channel, () => serve(options, { env: withOwnSecrets(env), version, stdout, stderr, link }));
