import { Outlet } from "@tanstack/react-router";
import { useIsAdministrator } from "../api/session.ts";
import { NotFound } from "./not-found.tsx";

/** The administrators' pages. To members they do not exist; what they show is refused to them by the gateway too. */
export function AdminOnly() {
  return useIsAdministrator() ? <Outlet /> : <NotFound />;
}
