import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Lane, LaneResult, Setting } from "./lanes/lane.ts";

export interface MeasuredLane extends LaneResult {
  readonly lane: string;
  readonly seconds: number;
}

/** Measures lanes one after the other, each in a folder of its own. */
export async function runLanes(
  lanes: readonly Lane[],
  setting: Omit<Setting, "say">,
  say: (line: string) => void,
): Promise<MeasuredLane[]> {
  const measured: MeasuredLane[] = [];
  for (const { name, measure } of lanes) {
    const folder = join(setting.folder, name);
    await mkdir(folder);
    const began_ms = performance.now();
    const result = await measure({ ...setting, folder, say });
    measured.push({ lane: name, seconds: (performance.now() - began_ms) / 1000, ...result });
  }
  return measured;
}
