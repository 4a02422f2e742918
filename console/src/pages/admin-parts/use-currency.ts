import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "../../api/use-api.ts";

/** The gateway's currency, where no answer on the page tells it; undefined until it is known. */
export function useCurrency(): string | undefined {
  return useQuery({ ...apiQuery("GET /session/methods", {}), staleTime: Number.POSITIVE_INFINITY }).data?.currency;
}
