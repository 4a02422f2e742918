import { availableParallelism } from "node:os";
import type { Configuration } from "../core/catalog/catalog.ts";
import { memoryBytes } from "../http/gate/body-bounds.ts";
import type { Log } from "../observe/log.ts";
import { KeptRoom } from "../pipeline/large-bodies/kept-room.ts";
import { LargeBodies } from "../pipeline/large-bodies/large-bodies.ts";
import type { ResponseMemory } from "../pipeline/memory/response-memory.ts";

/** More threads would take more memory than a gateway's machine has to spare: each may hold several large bodies. */
const MOST_WORKERS = 4;
/** How much of the memory the large bodies may take that are being answered. */
const SHARE_OF_MEMORY = 0.5;
/** How long the end of the gateway waits for large answers to be read. */
const PATIENCE_MS = 2000;

/** The threads for large bodies: none is started before the first large body. One core is left to the serving thread, and each of a gateway's processes has its share of the others. */
export function openLargeBodies(
  parts: {
    readonly memory: ResponseMemory | null;
    readonly log: Log;
    readonly processes?: number;
  },
  { limits: { body_bytes } }: Pick<Configuration, "limits">,
  opened: AsyncDisposableStack,
): LargeBodies {
  const { memory, log, processes = 1 } = parts;
  const of_all = Math.min(MOST_WORKERS, availableParallelism() - 1);
  const most_workers = Math.max(1, Math.floor(of_all / processes));
  const room = new KeptRoom(Math.floor((memoryBytes() * SHARE_OF_MEMORY) / processes), body_bytes);
  const large_bodies = new LargeBodies({ start: startWorker, most_workers, room, memory, log });
  opened.defer(async () => {
    // Answers that were just delivered are stored before the threads end.
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    await Promise.race([memory?.allRead(), late]);
    large_bodies.close();
  });
  return large_bodies;
}

function startWorker(): Worker {
  const worker = new Worker(new URL("./body-worker.ts", import.meta.url));
  worker.unref();
  return worker;
}
