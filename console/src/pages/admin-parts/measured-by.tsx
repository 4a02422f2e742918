import { formatDuration } from "../../kit/format.ts";

/** The process whose measurements are shown, and the time that they cover: every process has its own. */
export function MeasuredBy({ node, window_s }: { node: string; window_s: number }) {
  return (
    <>
      Measured by <span className="font-mono text-[0.82rem]">{node}</span> over the last{" "}
      {formatDuration(window_s * 1000)}
    </>
  );
}
