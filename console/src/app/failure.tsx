import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorState } from "../kit/states.tsx";

/** Stands in for a page that threw: the rest of the console stays, and the user can load the page again. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} title="This page could not be shown" onRetry={retry} />;
}
