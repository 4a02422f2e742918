import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../api/call.ts";
import { useIsLost } from "../api/connection.ts";
import { Spinner } from "../kit/spinner.tsx";

/** How often to ask whether the gateway is there: while it is, and while it is not. */
const BEAT_MS = 5_000;
const RETRY_MS = 2_000;

/** Says when the gateway has gone, asks for it again until it is back, and then loads everything anew. */
export function ConnectionBanner() {
  const lost = useIsLost();
  const queries = useQueryClient();
  useQuery({
    queryKey: ["heartbeat"],
    queryFn: ({ signal }) => call("GET /session/methods", {}, signal),
    refetchInterval: lost ? RETRY_MS : BEAT_MS,
    retry: false,
    networkMode: "always",
  });
  const was_lost = useRef(lost);
  useEffect(() => {
    if (was_lost.current && !lost) void queries.invalidateQueries();
    was_lost.current = lost;
  }, [lost, queries]);
  return (
    <div role="status" className="sticky top-0 z-40 max-lg:top-12">
      {lost && (
        <p className="flex items-center justify-center gap-2.5 border-b border-line bg-warn-soft px-4 py-2 font-medium text-warn-ink">
          <Spinner /> The gateway cannot be reached. What you see may be out of date. The console reconnects
          automatically.
        </p>
      )}
    </div>
  );
}
