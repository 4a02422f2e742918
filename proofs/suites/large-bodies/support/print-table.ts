/** Prints a table: what each shape of large body takes of the serving thread and of memory. */
import { startBigScene } from "./big-scene.ts";
import { SHAPES } from "./shapes.ts";

const wanted = process.argv[2] ?? "";
await using scene = await startBigScene();
const row = (...cells: readonly (string | number)[]): void => {
  console.log(`| ${cells.map((cell) => (typeof cell === "number" ? Math.round(cell) : cell)).join(" | ")} |`);
};
row(
  "Shape",
  "Status",
  "Longest slice, CPU ms",
  "by the clock, ms",
  "Longest /healthz, ms",
  "Whole request, ms",
  "Memory, MiB",
);
row("---", "---:", "---:", "---:", "---:", "---:", "---:");
for (const shape of SHAPES) {
  if (!shape.name.includes(wanted)) continue;
  const { status, cpu_ms, wall_ms, longest_ms, took_ms, memory_mib, answer } = await scene.measure(shape);
  row(shape.name, status, cpu_ms, wall_ms, longest_ms, took_ms, memory_mib);
  if (status !== 200) console.error(`  ${shape.name}: ${answer.slice(0, 200)}`);
}
