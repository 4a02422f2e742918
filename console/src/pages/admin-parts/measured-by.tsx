import { formatDuration } from "../../kit/format.ts";

/** Whose measurements are shown, and of how long: every process has its own. */
export function MeasuredBy({ node, window_s }: { node: string; window_s: number }) {
  return (
    <>
      Measured by <span className="font-mono text-[0.82rem]">{node}</span> over the last{" "}
      {formatDuration(window_s * 1000)}
    </>
  );
}
