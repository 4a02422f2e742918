import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** The cache of answers. A refused read is not repeated; a failure that may pass is tried twice more. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, thrown) => failures < 2 && isPassing(thrown),
    },
  },
});

function isPassing(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500);
}
