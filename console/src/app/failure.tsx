import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useIsLost } from "../api/connection.ts";
import { ErrorState } from "../kit/states.tsx";
import { PageNotLoaded } from "./load-page.ts";

/** Stands in for a page that threw: the rest of the console stays, and the user can load the page again. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof PageNotLoaded) return <NotLoaded error={error} />;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} title="This page could not be shown" onRetry={retry} />;
}

/** Browsers keep code that they could not load as missing, so the console is loaded anew as soon as the gateway is back. */
function NotLoaded({ error }: { error: PageNotLoaded }) {
  const lost = useIsLost();
  useEffect(() => {
    if (!lost) location.reload();
  }, [lost]);
  return <ErrorState error={error} title="This page is not here yet" />;
}
