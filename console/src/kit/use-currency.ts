import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "../api/use-api.ts";

/** The gateway's currency, for pages whose answers do not have it; undefined until loaded. */
export function useCurrency(): string | undefined {
  return useQuery({ ...apiQuery("GET /session/methods", {}), staleTime: Number.POSITIVE_INFINITY }).data?.currency;
}
