import type { ReactNode } from "react";
import { LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/states.tsx";

/** Takes the place of the list while there are no requests, and leads to the two ways to the first. `children`: a sentence on what the list will show. */
export function FirstSteps({ children }: { children: ReactNode }) {
  return (
    <EmptyState
      icon="requests"
      title="No requests yet"
      action={
        <>
          <LinkButton to="/keys/new" kind="primary" icon="key">
            Create a key
          </LinkButton>
          <LinkButton to="/playground" icon="playground">
            Try the playground
          </LinkButton>
        </>
      }
    >
      {children}
    </EmptyState>
  );
}
